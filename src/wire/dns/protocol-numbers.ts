/** Types of resource records that this code knows by name. */
export const RecordType = {
  A: 1,
  NS: 2,
  CNAME: 5,
  SOA: 6,
  PTR: 12,
  HINFO: 13,
  MX: 15,
  TXT: 16,
  AAAA: 28,
  SRV: 33,
  OPT: 41,
  DS: 43,
  HTTPS: 65,
  IXFR: 251,
  AXFR: 252,
  ANY: 255,
} as const;

export const RecordClass = { IN: 1, CH: 3, ANY: 255 } as const;

export const Opcode = { QUERY: 0, NOTIFY: 4 } as const;

export const Rcode = {
  NOERROR: 0,
  FORMERR: 1,
  SERVFAIL: 2,
  NXDOMAIN: 3,
  NOTIMP: 4,
  REFUSED: 5,
  /** Only in the extended form: its upper bits are in the OPT record. */
  BADVERS: 16,
} as const;

/** Bits of the second word of a header. */
export const Flag = {
  RESPONSE: 0x8000,
  AUTHORITATIVE: 0x0400,
  TRUNCATED: 0x0200,
  RECURSION_DESIRED: 0x0100,
  RECURSION_AVAILABLE: 0x0080,
  AUTHENTIC_DATA: 0x0020,
  CHECKING_DISABLED: 0x0010,
} as const;

export const OPCODE_SHIFT = 11;
export const OPCODE_MASK = 0x7800;
export const RCODE_MASK = 0x000f;

/** The bit of `Edns.flags` by which a client asks for DNSSEC records (RFC 3225). */
export const DNSSEC_OK = 0x8000;

/** The largest UDP response for a client without EDNS; every client with EDNS accepts at least as much. */
export const MIN_UDP_BYTES = 512;
export const MAX_MESSAGE_BYTES = 65_535;
export const HEADER_BYTES = 12;
