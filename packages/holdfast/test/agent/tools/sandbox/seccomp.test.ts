import assert from "node:assert/strict";
import { test } from "node:test";
import { seccompFilter } from "../../../../src/agent/tools/sandbox/seccomp.ts";

const allowed = 0x7f_ff_00_00;
const refused = (errno: number): number => 0x00_05_00_00 | errno;
const [EPERM, ENOSYS, EAFNOSUPPORT] = [refused(1), refused(38), refused(97)];
const newUser = 0x10_00_00_00;

/** Calls, their arguments and what the kernel answers, by the numbers of each processor. */
const cases = {
  x64: { audit: 0xc0_00_00_3e, read: 0, socket: 41, clone: 56, ioctl: 16, mount: 165, keyctl: 250 },
  arm64: {
    audit: 0xc0_00_00_b7,
    read: 63,
    socket: 198,
    clone: 220,
    ioctl: 29,
    mount: 40,
    keyctl: 219,
  },
};

for (const [processor, numbers] of Object.entries(cases)) {
  test(`the filter for ${processor} refuses unix sockets, namespaces, mounts and kernel keys`, () => {
    const filter = seccompFilter(processor);
    assert.ok(filter !== null);
    const { audit, read, socket, clone, ioctl, mount, keyctl } = numbers;
    const decide = (call: number, words: readonly number[] = []): number =>
      interpret(filter, { audit, call, words });
    assert.deepEqual(
      {
        read: decide(read),
        families: [1, 2, 10, 16, 17, 40].map((family) => decide(socket, [family])),
        clone: [decide(clone, [17]), decide(clone, [17 | newUser])],
        clone3: decide(435),
        ioctl: [decide(ioctl, [0, 0x5401]), decide(ioctl, [0, 0x5412])],
        others: [decide(mount), decide(keyctl), decide(425)],
        otherProcessor: interpret(filter, { audit: 0x40_00_00_03, call: read, words: [] }),
      },
      {
        read: allowed,
        families: [EAFNOSUPPORT, allowed, allowed, allowed, EAFNOSUPPORT, EAFNOSUPPORT],
        clone: [allowed, EPERM],
        clone3: ENOSYS,
        ioctl: [allowed, EPERM],
        others: [EPERM, EPERM, EPERM],
        otherProcessor: EPERM,
      },
    );
  });
}

test("the filter for x64 refuses calls of x32, and there is none for other processors", () => {
  const filter = seccompFilter("x64");
  assert.ok(filter !== null);
  const call = { audit: 0xc0_00_00_3e, call: 0x40_00_00_00 + 41, words: [1] };
  assert.deepEqual([interpret(filter, call), seccompFilter("mips")], [ENOSYS, null]);
});

/** Runs a filter as the kernel does, for the instructions that the filter uses. */
function interpret(
  filter: Uint8Array,
  { audit, call, words }: { audit: number; call: number; words: readonly number[] },
): number {
  const data = new DataView(new ArrayBuffer(64));
  data.setUint32(0, call, true);
  data.setUint32(4, audit, true);
  for (const [index, word] of words.entries()) data.setUint32(16 + 8 * index, word, true);
  const program = new DataView(filter.buffer);
  let loaded = 0;
  for (let at = 0; at < filter.length; at += 8) {
    const value = program.getUint32(at + 4, true);
    const skip = (holds: boolean): void => {
      at += 8 * program.getUint8(at + (holds ? 2 : 3));
    };
    const code = program.getUint16(at, true);
    if (code === 0x20) loaded = data.getUint32(value, true);
    else if (code === 0x15) skip(loaded === value);
    else if (code === 0x35) skip(loaded >= value);
    else if (code === 0x45) skip((loaded & value) !== 0);
    else if (code === 0x06) return value;
    else throw new Error(`instruction ${code}`);
  }
  throw new Error("the filter has no end");
}
