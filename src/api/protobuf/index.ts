// What other folders may use: Kubernetes' protobuf form of objects, and the low-level reader and writer.
export * from './decode-protobuf.ts';
export { encodeProtobuf, encodeProtobufEnvelope, travelsInProtobuf, wrapProtobuf } from './encode-protobuf.ts';
export { ENVELOPE_MAGIC } from './magic.ts';
export { ProtobufReader, ProtobufWriter } from '../../wire/protobuf/index.ts';
