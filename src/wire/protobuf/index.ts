// What other folders may use: reading and writing protobuf field by field, and messages described as tables.
export {
  bigint,
  bool,
  bytes,
  type Field,
  type Fields,
  int64,
  type Message,
  type MessageOf,
  MessageTable,
  nested,
  repeated,
  text,
  textMap,
} from './message-table.ts';
export { malformed, ProtobufReader, wrongWireType } from './reader.ts';
export { ProtobufWriter, WIRE_BYTES, WIRE_FIXED64, WIRE_VARINT } from './writer.ts';
