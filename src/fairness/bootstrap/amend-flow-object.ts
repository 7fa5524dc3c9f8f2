import type { ApiObject } from '../../api/index.ts';
import { EXEMPT } from '../../api/meaning/index.ts';
import { deepEqual } from '../../base/index.ts';
import type { FlowObject } from './flow-objects.ts';

/** Whether the server keeps an object's spec in sync; without this annotation, the object is left to its users. */
export const AUTO_UPDATE = 'apf.kubernetes.io/autoupdate-spec';

/** The corrected object; undefined when the current one is right. */
export function amendFlowObject(own: FlowObject, current: ApiObject): ApiObject | undefined {
  const keepsSpec = own.isMandatory || (declared(current) ?? current.metadata.generation === 1);
  const isSpecRight = !keepsSpec || isSameSpec(own, current);
  if (isSpecRight && declared(current) === keepsSpec) return undefined;
  const annotations = { ...current.metadata.annotations, [AUTO_UPDATE]: String(keepsSpec) };
  const metadata = declared(current) === keepsSpec ? current.metadata : { ...current.metadata, annotations };
  return { ...current, metadata, ...(isSpecRight ? {} : { spec: own.spec }) };
}

/** Whether to remove an object that the server once created, under a name that it no longer creates. */
export function isObsolete(current: ApiObject): boolean {
  return declared(current) === true;
}

const TRUTHS = new Set(['1', 't', 'T', 'TRUE', 'true', 'True']);
const FALSEHOODS = new Set(['0', 'f', 'F', 'FALSE', 'false', 'False']);

/** The annotation's value; undefined when it is missing or invalid. */
function declared({ metadata }: ApiObject): boolean | undefined {
  const text = metadata.annotations?.[AUTO_UPDATE] ?? '';
  if (TRUTHS.has(text)) return true;
  return FALSEHOODS.has(text) ? false : undefined;
}

/** How much the exempt level lends is left to administrators. */
function isSameSpec(own: FlowObject, current: ApiObject): boolean {
  if (own.plural !== 'prioritylevelconfigurations' || own.name !== EXEMPT) return deepEqual(current['spec'], own.spec);
  const spec = current['spec'] as { readonly type?: string; readonly exempt?: object; readonly limited?: object };
  return spec.type === 'Exempt' && spec.exempt !== undefined && spec.limited === undefined;
}
