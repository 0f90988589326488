import { lookup } from "node:dns";
import type { LookupAddress } from "node:dns";
import { networkInterfaces } from "node:os";
import { BlockList, isIP } from "node:net";
import type { LookupFunction } from "node:net";

const notPublic = new BlockList();
for (const [net, prefix] of [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  // Internal services of Azure and IBM Cloud, which provide metadata and keys.
  ["161.26.0.0", 16],
  ["166.8.0.0", 14],
  ["168.63.129.16", 32],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
] as const) {
  notPublic.addSubnet(net, prefix, "ipv4");
}
for (const [net, prefix] of [
  ["::", 96],
  ["::ffff:0:0:0", 96],
  ["64:ff9b::", 96],
  ["64:ff9b:1::", 48],
  ["100::", 64],
  ["2001::", 32],
  ["2002::", 16],
  ["fc00::", 7],
  ["fe80::", 10],
  ["fec0::", 10],
  ["ff00::", 8],
] as const) {
  notPublic.addSubnet(net, prefix, "ipv6");
}

/**
 * True if an address belongs to this machine or a private network, or is an IPv6 address that is translated to IPv4.
 */
export function isPrivateAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 0) return false;
  if (notPublic.check(address, family === 6 ? "ipv6" : "ipv4")) return true;
  return isOwnAddress(address, networkInterfaces());
}

/** True if an address belongs to a network interface of this machine, even if the address is public. */
export function isOwnAddress(
  address: string,
  interfaces: ReturnType<typeof networkInterfaces>,
): boolean {
  const own = new BlockList();
  for (const each of Object.values(interfaces).flatMap((found) => found ?? [])) {
    own.addAddress(each.address, each.family === "IPv6" ? "ipv6" : "ipv4");
  }
  return own.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");
}

/** True if the host is a private IP address. Host names are checked after their lookup. */
export function isPrivateHost(hostname: string): boolean {
  return isPrivateAddress(hostname.replace(/^\[|\]$/g, ""));
}

/**
 * Looks up a host name and returns only public addresses. The connection uses the checked addresses, so a name that
 * later resolves to another address cannot bypass the check.
 */
export const publicLookup: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error !== null) {
      callback(error, "", 0);
      return;
    }
    const open = addresses.filter(({ address }) => !isPrivateAddress(address));
    const [first] = open;
    if (first === undefined) callback(new PrivateAddress(hostname), "", 0);
    else answer(options.all === true, open, first);
  });

  function answer(all: boolean, open: LookupAddress[], first: LookupAddress): void {
    if (all) callback(null, open);
    else callback(null, first.address, first.family);
  }
};

export class PrivateAddress extends Error {
  constructor(hostname: string) {
    super(`${hostname} is an address of this machine or of a private network`);
    this.name = "PrivateAddress";
  }
}
