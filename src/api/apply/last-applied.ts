import { deepEqual } from '../../base/index.ts';
import { DecodeError, encodeJson, parseUntyped, type PlainObject } from '../json/index.ts';
import { isPlainObject } from '../json/plain-object.ts';
import { keepSorted } from '../json/raw-json.ts';
import { Walk } from '../json/walk.ts';
import type { ApiObject } from '../object.ts';
import { checkTyped } from './check-typed.ts';
import { compareObjects } from './compare-objects.ts';
import { difference, union } from './field-set-algebra.ts';
import { EMPTY_SET, type FieldSet } from './field-set.ts';
import type { MergeType } from './merge-type.ts';
import { setOf } from './set-of.ts';
import { TypedError } from './typed-error.ts';

/** The annotation in which client-side `kubectl apply` keeps its configuration. */
export const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** The field manager that counts as the same kubectl that applied client-side before. */
export const KUBECTL = 'kubectl';

/**
 * The fields that kubectl's last client-side configuration set and the object still has: kubectl may take those from its
 * former manager without force.
 */
export function setOfLastApplied(live: ApiObject, type: MergeType, apiVersion: string): FieldSet {
  const text = live.metadata.annotations?.[LAST_APPLIED] ?? '';
  if (text === '') return EMPTY_SET;
  try {
    const config = parseUntyped(text);
    if (!isPlainObject(config) || config['apiVersion'] !== apiVersion || typeof config['kind'] !== 'string')
      return EMPTY_SET;
    checkTyped(live, type);
    checkTyped(config, type);
    const { added, modified, removed } = compareObjects(config, live, type);
    return difference(setOf(config, type), union(union(added, modified), removed));
  } catch (error) {
    if (error instanceof TypedError || error instanceof DecodeError) return EMPTY_SET;
    throw error;
  }
}

const MAX_ANNOTATIONS_BYTES = 256 * 1024;

/** The merged object with its last-applied annotation, if it has one, updated; removed if it would be too large. */
export function withLastApplied(object: PlainObject, config: PlainObject): PlainObject {
  const metadata = object['metadata'];
  const annotations = isPlainObject(metadata) ? metadata['annotations'] : undefined;
  if (!isPlainObject(metadata) || !isPlainObject(annotations) || (annotations[LAST_APPLIED] ?? '') === '')
    return object;
  const updated: PlainObject = { ...annotations, [LAST_APPLIED]: configText(config) };
  if (sizeOf(updated) > MAX_ANNOTATIONS_BYTES) delete updated[LAST_APPLIED];
  if (deepEqual(updated, annotations)) return object;
  return { ...object, metadata: { ...metadata, annotations: updated } };
}

/** The configuration without the annotation itself, as Kubernetes prints it. */
function configText(config: PlainObject): string {
  const metadata = config['metadata'];
  const annotations = isPlainObject(metadata) ? metadata['annotations'] : undefined;
  let printed: PlainObject = config;
  if (isPlainObject(metadata) && isPlainObject(annotations)) {
    const { [LAST_APPLIED]: _, ...others } = annotations;
    printed = { ...config, metadata: { ...metadata, annotations: others } };
  }
  return `${encodeJson(keepSorted(printed, new Walk({ fills: false, owns: false })))}\n`;
}

function sizeOf(annotations: PlainObject): number {
  let size = 0;
  for (const [name, value] of Object.entries(annotations))
    size += Buffer.byteLength(name) + Buffer.byteLength(String(value));
  return size;
}
