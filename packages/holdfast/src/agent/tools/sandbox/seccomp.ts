/**
 * Builds a seccomp filter for commands in the sandbox, as the BPF program that `bwrap --seccomp` reads. Dropped
 * capabilities and a user namespace already forbid most dangerous calls. The filter blocks the rest: sockets other than
 * IP and netlink (unix sockets reach daemons outside), new namespaces, and kernel interfaces with a large attack
 * surface. Returns null on an unknown processor.
 */
export function seccompFilter(processor: string = process.arch): Uint8Array | null {
  const platform = platforms[processor];
  return platform === undefined ? null : assemble(program(platform));
}

interface Platform {
  /** The AUDIT_ARCH value in the kernel's headers. */
  readonly audit: number;
  /** System call numbers. */
  readonly calls: typeof x64Calls;
}

/** Allowed socket families: AF_INET, AF_INET6, AF_NETLINK. */
const families = [2, 10, 16];
/** CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID and NEWNET. */
const namespaceFlags = 0x7e_02_00_00;
/** TIOCSTI and TIOCLINUX, which can type into the server's terminal. */
const terminalRequests = [0x5412, 0x541c];
/** Bit that marks system calls of x32, another interface of the same kernel. */
const x32Bit = 0x40_00_00_00;

const allow = 0x7f_ff_00_00;
const errno = (number: number): number => 0x00_05_00_00 | number;
const notPermitted = errno(1);
const noSuchCall = errno(38);
const noSuchFamily = errno(97);

const x64Calls = {
  socket: 41,
  clone: 56,
  clone3: 435,
  ioctl: 16,
  others: {
    unshare: 272,
    setns: 308,
    mount: 165,
    umount2: 166,
    pivot_root: 155,
    open_tree: 428,
    move_mount: 429,
    fsopen: 430,
    fsconfig: 431,
    fsmount: 432,
    fspick: 433,
    mount_setattr: 442,
    io_uring_setup: 425,
    io_uring_enter: 426,
    io_uring_register: 427,
    add_key: 248,
    request_key: 249,
    keyctl: 250,
    bpf: 321,
    perf_event_open: 298,
    userfaultfd: 323,
    open_by_handle_at: 304,
    kexec_load: 246,
    init_module: 175,
    finit_module: 313,
  },
};

const arm64Calls: typeof x64Calls = {
  socket: 198,
  clone: 220,
  clone3: 435,
  ioctl: 29,
  others: {
    ...x64Calls.others,
    unshare: 97,
    setns: 268,
    mount: 40,
    umount2: 39,
    pivot_root: 41,
    add_key: 217,
    request_key: 218,
    keyctl: 219,
    bpf: 280,
    perf_event_open: 241,
    userfaultfd: 282,
    open_by_handle_at: 265,
    kexec_load: 104,
    init_module: 105,
    finit_module: 273,
  },
};

const platforms: Readonly<Record<string, Platform>> = {
  x64: { audit: 0xc0_00_00_3e, calls: x64Calls },
  arm64: { audit: 0xc0_00_00_b7, calls: arm64Calls },
};

interface Instruction {
  readonly code: number;
  readonly value: number;
  /** Number of instructions to skip if the condition is true, and if it is false. */
  readonly skip?: readonly [number, number];
}

/** Offsets in the kernel's `struct seccomp_data`; for arguments, the low 32 bits. */
const offset = { call: 0, audit: 4, argument: [16, 24] } as const;

const load = (value: number): Instruction => ({ code: 0x20, value });
const answer = (value: number): Instruction => ({ code: 0x06, value });

/**
 * Builds instructions for the seccomp filter, a small program that the Linux kernel runs before each system call:
 * execute `then` if the value that was loaded last equals `value`, otherwise skip `then`.
 */
const ifEqual = (value: number, then: readonly Instruction[]): Instruction[] => [
  { code: 0x15, value, skip: [0, then.length] },
  ...then,
];

function program({ audit, calls }: Platform): Instruction[] {
  const [first, second] = offset.argument;
  return [
    load(offset.audit),
    // Forbid all system calls of programs for another processor, because their numbers differ.
    { code: 0x15, value: audit, skip: [1, 0] },
    answer(notPermitted),
    load(offset.call),
    { code: 0x35, value: x32Bit, skip: [0, 1] },
    answer(noSuchCall),
    // The flags of clone3 are behind a pointer, so the filter cannot read them. Report that clone3 does not exist;
    // libraries then use clone.
    ...ifEqual(calls.clone3, [answer(noSuchCall)]),
    ...Object.values(calls.others).flatMap((call) => ifEqual(call, [answer(notPermitted)])),
    ...ifEqual(calls.socket, [
      load(first),
      ...families.flatMap((family) => ifEqual(family, [answer(allow)])),
      answer(noSuchFamily),
    ]),
    ...ifEqual(calls.clone, [
      load(first),
      { code: 0x45, value: namespaceFlags, skip: [0, 1] },
      answer(notPermitted),
      answer(allow),
    ]),
    ...ifEqual(calls.ioctl, [
      load(second),
      ...terminalRequests.flatMap((request) => ifEqual(request, [answer(notPermitted)])),
      answer(allow),
    ]),
    answer(allow),
  ];
}

/** Encodes each instruction as `struct sock_filter`: a 16-bit code, two 8-bit jumps, a 32-bit value. */
function assemble(instructions: readonly Instruction[]): Uint8Array {
  const bytes = new DataView(new ArrayBuffer(instructions.length * 8));
  for (const [index, { code, value, skip: [then, otherwise] = [0, 0] }] of instructions.entries()) {
    bytes.setUint16(index * 8, code, true);
    bytes.setUint8(index * 8 + 2, then);
    bytes.setUint8(index * 8 + 3, otherwise);
    bytes.setUint32(index * 8 + 4, value, true);
  }
  return new Uint8Array(bytes.buffer);
}
