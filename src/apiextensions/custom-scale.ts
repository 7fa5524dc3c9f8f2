import {
  type ApiObject,
  badRequest,
  type FieldError,
  goText,
  goType,
  internalError,
  invalidValue,
  isPlainObject,
  type PlainObject,
  type Struct,
  ValueError,
  withMeta,
} from '../api/index.ts';
import type { CustomResourceSubresourceScale } from '../api/types/apiextensions/v1.d.ts';
import type { Projection } from '../apiserver/index.ts';
import { scaleColumns } from './custom-columns.ts';

const MAX_INT32 = 2 ** 31 - 1;
/** Represents unset replicas, in the Scale from which a write is made. */
const UNSET = -(2 ** 31);

export interface ScaleOptions {
  readonly scale: CustomResourceSubresourceScale;
  readonly struct: Struct;
  /** The replicas path in each version of the kind, by apiVersion. */
  readonly replicasPaths: Readonly<Record<string, readonly string[]>>;
}

/** The `scale` subresource of a custom kind, with the paths from its definition. */
export function customScale({ scale, struct, replicasPaths }: ScaleOptions): Projection {
  const { specReplicasPath } = scale;
  const path = pathOf(specReplicasPath);
  return {
    type: 'projection',
    verbs: ['get', 'patch', 'update'],
    kind: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
    struct,
    columns: scaleColumns,
    replicasPath: path,
    replicasPaths,
    read(object) {
      if (refusing(() => numberAt(object, path)) !== undefined) return scaleOf(object, scale);
      throw internalError(new Error(`the spec replicas field ${JSON.stringify(specReplicasPath)} does not exist`));
    },
    project: (object) => scaleOf(object, scale),
    merge(object, changed) {
      const { replicas = 0 } = (changed['spec'] ?? {}) as { readonly replicas?: number };
      if (replicas === UNSET) {
        throw badRequest(`the spec replicas field ${JSON.stringify(specReplicasPath)} cannot be empty`);
      }
      const { resourceVersion = object.metadata.resourceVersion } = changed.metadata;
      const scaled = withValue(object as unknown as PlainObject, path, replicas) as unknown as ApiObject;
      return { ...scaled, metadata: withMeta(object.metadata, { resourceVersion }) };
    },
    validate: () => [],
  };
}

/** Problems of the numbers in a scalable object. */
export function checkScaled(
  object: ApiObject,
  scale: CustomResourceSubresourceScale,
  part: 'status' | 'all',
): FieldError[] {
  const { specReplicasPath, statusReplicasPath, labelSelectorPath = '' } = scale;
  return [
    ...(part === 'all' ? checkNumber(object, specReplicasPath) : []),
    ...checkNumber(object, statusReplicasPath),
    ...(labelSelectorPath === '' ? [] : checkSelector(object, labelSelectorPath)),
  ];
}

function checkNumber(object: ApiObject, path: string): FieldError[] {
  const found = attempt(() => numberAt(object, pathOf(path)) ?? 0);
  if (found instanceof ValueError) return [invalidValue(path, 0, found.message)];
  if (found < 0) return [invalidValue(path, found, 'should be a non-negative integer')];
  return found > MAX_INT32 ? [invalidValue(path, found, `should be less than or equal to ${MAX_INT32}`)] : [];
}

function checkSelector(object: ApiObject, path: string): FieldError[] {
  const found = attempt(() => textAt(object, pathOf(path)));
  return found instanceof ValueError ? [invalidValue(path, '', found.message)] : [];
}

function attempt<T>(read: () => T): T | ValueError {
  try {
    return read();
  } catch (error) {
    if (error instanceof ValueError) return error;
    throw error;
  }
}

/** For objects stored before the definition named the paths. */
function refusing<T>(read: () => T): T {
  const found = attempt(read);
  if (found instanceof ValueError) throw internalError(found);
  return found;
}

function scaleOf(object: ApiObject, scale: CustomResourceSubresourceScale): ApiObject {
  const { specReplicasPath, statusReplicasPath, labelSelectorPath = '' } = scale;
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const [wanted, current, selector] = refusing(() => [
    numberAt(object, pathOf(specReplicasPath)) ?? UNSET,
    numberAt(object, pathOf(statusReplicasPath)) ?? 0,
    labelSelectorPath === '' ? '' : (textAt(object, pathOf(labelSelectorPath)) ?? ''),
  ]);
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: withMeta({}, { name, namespace, uid, resourceVersion, creationTimestamp }),
    spec: wanted === 0 ? {} : { replicas: wanted },
    status: { replicas: current, ...(selector === '' ? {} : { selector }) },
  };
}

/** `.spec.replicas` as the names of its members. */
export function pathOf(path: string): readonly string[] {
  return path.replace(/^\./, '').split('.');
}

function numberAt(object: ApiObject, path: readonly string[]): number | undefined {
  const value = valueAt(object, path);
  if (value === undefined || (typeof value === 'number' && Number.isInteger(value))) return value;
  if (typeof value === 'bigint') return Number(value);
  throw notOfType(path, value, 'int64');
}

function textAt(object: ApiObject, path: readonly string[]): string | undefined {
  const value = valueAt(object, path);
  if (value === undefined || typeof value === 'string') return value;
  throw notOfType(path, value, 'string');
}

function valueAt(object: ApiObject, path: readonly string[]): unknown {
  let value: unknown = object;
  for (const [index, name] of path.entries()) {
    if (value === null || value === undefined) return undefined;
    if (!isPlainObject(value)) throw notOfType(path.slice(0, index + 1), value, 'map[string]interface{}');
    value = Object.hasOwn(value, name) ? value[name] : undefined;
  }
  return value;
}

function notOfType(path: readonly string[], value: unknown, wanted: string): ValueError {
  return new ValueError(
    `.${path.join('.')} accessor error: ${goText(value)} is of the type ${goType(value)}, expected ${wanted}`,
  );
}

function withValue(object: PlainObject, [name = '', ...rest]: readonly string[], value: number): PlainObject {
  const inner = object[name];
  return { ...object, [name]: rest.length === 0 ? value : withValue(isPlainObject(inner) ? inner : {}, rest, value) };
}
