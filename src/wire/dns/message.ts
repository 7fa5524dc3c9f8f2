/**
 * A DNS message (RFC 1035). Names are text in the form of zone files, whole and with the last dot: `web.default.svc.cluster.local.`;
 * a dot inside a label is `\.`, and a byte that does not print is `\DDD`. Case is as it was sent.
 */
export interface Message {
  readonly id: number;
  /** The second word of the header: bits of `Flag`, opcode and the lower four bits of the response code. */
  readonly flags: number;
  readonly questions: readonly Question[];
  readonly answers: readonly ResourceRecord[];
  readonly authorities: readonly ResourceRecord[];
  /** Without the OPT record, which is `edns`. */
  readonly additionals: readonly ResourceRecord[];
  readonly edns?: Edns | undefined;
}

export interface Question {
  readonly name: string;
  readonly type: number;
  readonly class: number;
}

export interface ResourceRecord extends Question {
  readonly ttl: number;
  readonly data: RecordData;
}

/**
 * What a record says: names where its type has names that travel compressed, and the bytes of all other types, known or not.
 * Bytes never contain compressed names, so that they can be written at another place.
 */
export type RecordData = Uint8Array | NameData | SrvData | MxData | SoaData;

/** CNAME, NS, PTR. */
export interface NameData {
  readonly kind: 'name';
  readonly target: string;
}

export interface SrvData {
  readonly kind: 'srv';
  readonly priority: number;
  readonly weight: number;
  readonly port: number;
  readonly target: string;
}

export interface MxData {
  readonly kind: 'mx';
  readonly preference: number;
  readonly exchange: string;
}

export interface SoaData {
  readonly kind: 'soa';
  readonly primary: string;
  readonly mailbox: string;
  readonly serial: number;
  readonly refresh: number;
  readonly retry: number;
  readonly expire: number;
  readonly minimum: number;
}

/** The OPT record (RFC 6891). */
export interface Edns {
  /** The largest message that the sender takes over UDP. */
  readonly udpBytes: number;
  /** The upper eight bits of the response code. */
  readonly extendedRcode: number;
  readonly version: number;
  /** `DNSSEC_OK` and reserved bits. */
  readonly flags: number;
  readonly options: readonly EdnsOption[];
}

export interface EdnsOption {
  readonly code: number;
  readonly data: Uint8Array;
}
