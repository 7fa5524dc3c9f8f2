// What other folders may use: reading and writing protobuf field by field, and messages described as tables.
export {
  bigint,
  bool,
  bytes,
  double,
  enumeration,
  type Field,
  type Fields,
  fixed32,
  fixed64,
  float,
  int32,
  int64,
  mapOf,
  type Message,
  type MessageOf,
  MessageTable,
  nested,
  oneof,
  repeated,
  sint32,
  sint64,
  text,
  textMap,
  uint32,
} from './message-table.ts';
export { malformed, ProtobufReader, wrongWireType } from './reader.ts';
export { ProtobufWriter, WIRE_BYTES, WIRE_FIXED64, WIRE_VARINT } from './writer.ts';
