// What other folders may use: DNS messages as they travel.
export { decodeHeader, decodeMessage, type MessageHeader } from './decode-message.ts';
export { type EncodeOptions, MessageEncoder } from './encode-message.ts';
export { MalformedMessageError } from './malformed-message.ts';
export type {
  Edns,
  EdnsOption,
  Message,
  MxData,
  NameData,
  Question,
  RecordData,
  ResourceRecord,
  SoaData,
  SrvData,
} from './message.ts';
export { absoluteName, isWithin, labelsOf, MAX_LABEL_BYTES, MAX_NAME_BYTES } from './name-text.ts';
export {
  DNSSEC_OK,
  Flag,
  HEADER_BYTES,
  MAX_MESSAGE_BYTES,
  MIN_UDP_BYTES,
  Opcode,
  OPCODE_MASK,
  OPCODE_SHIFT,
  Rcode,
  RCODE_MASK,
  RecordClass,
  RecordType,
} from './protocol-numbers.ts';
export { textData } from './record-data.ts';
export { FrameReader, framed } from './tcp-frames.ts';
