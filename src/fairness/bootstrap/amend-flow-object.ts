import type { ApiObject } from '../../api/index.ts';
import { EXEMPT } from '../../api/meaning/index.ts';
import { deepEqual } from '../../base/index.ts';
import type { FlowObject } from './flow-objects.ts';

/** Says whether the server keeps an object's spec as it would make it; taken from an object, it is left to its users. */
export const AUTO_UPDATE = 'apf.kubernetes.io/autoupdate-spec';

/** The object as it should be in place of the one that is there; undefined when that one is right. */
export function amendFlowObject(own: FlowObject, current: ApiObject): ApiObject | undefined {
  const keepsSpec = own.isMandatory || (declared(current) ?? current.metadata.generation === 1);
  const isSpecRight = !keepsSpec || isSameSpec(own, current);
  if (isSpecRight && declared(current) === keepsSpec) return undefined;
  const annotations = { ...current.metadata.annotations, [AUTO_UPDATE]: String(keepsSpec) };
  const metadata = declared(current) === keepsSpec ? current.metadata : { ...current.metadata, annotations };
  return { ...current, metadata, ...(isSpecRight ? {} : { spec: own.spec }) };
}

/** Whether an object that the server made once, under a name that it no longer makes, is to go. */
export function isLeftOver(current: ApiObject): boolean {
  return declared(current) === true;
}

const TRUTHS = new Set(['1', 't', 'T', 'TRUE', 'true', 'True']);
const FALSEHOODS = new Set(['0', 'f', 'F', 'FALSE', 'false', 'False']);

/** What the annotation says; undefined when it is missing or says neither yes nor no. */
function declared({ metadata }: ApiObject): boolean | undefined {
  const text = metadata.annotations?.[AUTO_UPDATE] ?? '';
  if (TRUTHS.has(text)) return true;
  return FALSEHOODS.has(text) ? false : undefined;
}

/** How much the exempt level lends is for administrators to say. */
function isSameSpec(own: FlowObject, current: ApiObject): boolean {
  if (own.plural !== 'prioritylevelconfigurations' || own.name !== EXEMPT) return deepEqual(current['spec'], own.spec);
  const spec = current['spec'] as { readonly type?: string; readonly exempt?: object; readonly limited?: object };
  return spec.type === 'Exempt' && spec.exempt !== undefined && spec.limited === undefined;
}
