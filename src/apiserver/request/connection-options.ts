import { badRequest, canonicalize, DecodeError } from '../../api/index.ts';
import type { ApiObject, Shape, Struct } from '../../api/index.ts';
import type { Call } from './call.ts';
import { booleanParameter, integerParameter } from './options.ts';

/** The options of a connection as an object: each member from the parameter of its name, `path` from what follows in the path. */
export function connectionOptions(call: Call, struct: Struct): ApiObject {
  const { query, info } = call;
  const options: Record<string, unknown> = {};
  for (const { name, shape } of struct.fields) {
    if (name === 'path') options[name] = info.subpath;
    else if (query.has(name)) options[name] = valueOf(call, name, shape);
  }
  const { kind = '', version = '' } = struct.kind ?? {};
  try {
    return { ...(canonicalize(options, struct) as object), kind, apiVersion: version } as unknown as ApiObject;
  } catch (error) {
    if (error instanceof DecodeError) throw badRequest(error.message, { cause: error });
    throw error;
  }
}

function valueOf({ query }: Call, name: string, shape: Shape): unknown {
  if (shape.kind === 'list') {
    const isNumeric = shape.element.kind === 'scalar' && shape.element.scalar === 'int32';
    return isNumeric ? query.all(name).map(Number) : query.all(name);
  }
  if (shape.kind !== 'scalar') return undefined;
  switch (shape.scalar) {
    case 'bool':
      return booleanParameter(query, name);
    case 'int32':
    case 'int64':
      return integerParameter(query, name);
    default:
      return query.get(name);
  }
}
