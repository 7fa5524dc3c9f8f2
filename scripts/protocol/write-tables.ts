import type { ProtoEnum, ProtoField, ProtoFile, ProtoMessage, ProtoService } from './parse-proto.ts';

/** How scalar types are declared in a MessageTable. */
const SCALARS: Readonly<Record<string, string>> = {
  bool: 'bool',
  bytes: 'bytes',
  double: 'double',
  float: 'float',
  int32: 'int32',
  int64: 'int64',
  string: 'text',
  uint32: 'uint32',
  uint64: 'int64',
};

/** Messages of other files, which are written out where they are used. */
const WELL_KNOWN: readonly ProtoMessage[] = [
  wellKnown('google.protobuf.BoolValue', ['value', 'bool']),
  wellKnown('google.protobuf.Int64Value', ['value', 'int64']),
  wellKnown('google.protobuf.Timestamp', ['seconds', 'int64'], ['nanos', 'int32']),
];

export interface TablesPlace {
  /** Where the declarations come from. */
  readonly source: string;
  /** The folder `src/wire`, relative to the file that is written. */
  readonly wire: string;
}

/** A message's fields name types as they are known inside it: `BlockVolume` inside `VolumeCapability` is `VolumeCapability_BlockVolume`. */
function withWholeTypes(file: ProtoFile): ProtoFile {
  const known = new Set([...file.messages, ...file.enums].map(({ name }) => name));
  const whole = (message: string, type: string): string => {
    const written = type.replaceAll('.', '_');
    const outer = message.split('_');
    for (let depth = outer.length; depth >= 0; depth -= 1) {
      const name = [...outer.slice(0, depth), written].join('_');
      if (known.has(name)) return name;
    }
    return type;
  };
  const messages = file.messages.map(({ name, fields }) => ({
    name,
    fields: fields.map((field) => ({ ...field, type: whole(name, field.type) })),
  }));
  return { ...file, messages };
}

/** A TypeScript module with a table for each message, an object for each enum, and the methods of each service. */
export function writeTables(written: ProtoFile, { source, wire }: TablesPlace): string {
  const file = withWholeTypes(written);
  const messages = inOrder([...WELL_KNOWN.filter(({ name }) => isUsed(file, name)), ...file.messages]);
  const body = [
    ...file.enums.map(enumText),
    ...messages.map((message) => messageText(message, file.enums)),
    ...file.services.map((service) => serviceText(service, file.package)),
  ].join('\n');
  const used = [
    'bool',
    'bytes',
    'double',
    'enumeration',
    'float',
    'int32',
    'int64',
    'mapOf',
    'nested',
    'oneof',
    'repeated',
    'text',
    'textMap',
    'uint32',
  ];
  const imported = used.filter((name) => new RegExp(`\\b${name}\\(`).test(body));
  return `// Written by \`npm run protocols\` from ${source}. Do not edit.
import type { Method } from '${wire}/grpc/index.ts';
import { ${[...imported, 'type Fields', 'type Message', 'MessageTable'].join(', ')} } from '${wire}/protobuf/index.ts';

function method<Request extends Fields, Response extends Fields>(
  path: string,
  request: MessageTable<Request>,
  response: MessageTable<Response>,
): Method<Message<Request>, Message<Response>> {
  return { path, request, response };
}

${body}`;
}

function wellKnown(name: string, ...fields: (readonly [string, string])[]): ProtoMessage {
  return { name, fields: fields.map(([field, type], at) => ({ name: field, type, number: at + 1, label: 'single' })) };
}

function isUsed({ messages }: ProtoFile, type: string): boolean {
  return messages.some(({ fields }) => fields.some((field) => field.type === type));
}

/** Messages after those that they contain. */
function inOrder(messages: readonly ProtoMessage[]): readonly ProtoMessage[] {
  const byName = new Map(messages.map((message) => [message.name, message]));
  const placed = new Set<ProtoMessage>();
  const place = (message: ProtoMessage): void => {
    if (placed.has(message)) return;
    for (const { type } of message.fields) {
      const inner = byName.get(type);
      if (inner !== undefined && inner !== message) place(inner);
    }
    placed.add(message);
  };
  for (const message of messages) place(message);
  return [...placed];
}

function enumText({ name, values }: ProtoEnum): string {
  const lines = values.map(([value, number]) => `  ${value}: ${number},`);
  return `export const ${name} = {\n${lines.join('\n')}\n} as const;\n`;
}

function messageText({ name, fields }: ProtoMessage, enums: readonly ProtoEnum[]): string {
  const isEnum = (type: string): boolean => enums.some((one) => one.name === type);
  const text = (field: ProtoField): string => `${camelCase(field.name)}: ${fieldText(field, isEnum(field.type))}`;
  const single = fields.filter(({ oneof }) => oneof === undefined).map(text);
  const groups = [...new Set(fields.flatMap(({ oneof }) => oneof ?? []))].map((group) => {
    const members = fields.filter(({ oneof }) => oneof === group).map(text);
    return `...oneof('${group}', { ${members.join(', ')} })`;
  });
  return `export const ${tableName(name)} = new MessageTable({ ${[...single, ...groups].join(', ')} });\n`;
}

function fieldText({ type, number, label }: ProtoField, isEnum: boolean): string {
  const scalar = isEnum ? 'enumeration' : SCALARS[type];
  const of = (at: number): string => (scalar === undefined ? `nested(${at}, ${tableName(type)})` : `${scalar}(${at})`);
  if (label === 'map') return type === 'string' ? `textMap(${number})` : `mapOf(${number}, ${of(2)})`;
  return label === 'repeated' ? `repeated(${of(number)})` : of(number);
}

function serviceText({ name, methods }: ProtoService, packageName: string): string {
  const lines = methods.map(
    ({ name: called, request, response }) =>
      `  ${lowerFirst(called)}: method('/${packageName}.${name}/${called}', ${tableName(request)}, ${tableName(response)}),`,
  );
  return `export const ${name} = {\n${lines.join('\n')}\n};\n`;
}

/** `run_as_user` is `runAsUser`. */
function camelCase(name: string): string {
  return lowerFirst(name.replaceAll(/_+([a-zA-Z0-9])/g, (_, letter: string) => letter.toUpperCase()));
}

function tableName(message: string): string {
  return lowerFirst(message.split('.').at(-1)?.replaceAll('_', '') ?? message);
}

/** `DNSConfig` is `dnsConfig`. */
function lowerFirst(name: string): string {
  return name.replace(/^[A-Z]+(?=[A-Z][a-z])|^[A-Z]+$|^[A-Z]/, (capitals) => capitals.toLowerCase());
}
