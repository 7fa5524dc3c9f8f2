import { applyMergePatch, badRequest, encodeJson, inTouchedOrder } from '../../api/index.ts';
import type { Touched } from '../../api/index.ts';
import { isObject, jsonTypeOf, readPatch } from './patch-body.ts';
import type { PatchContext, Patched } from './patch-method.ts';

const DECODING = 'error decoding patch: ';

export function prepareMergePatch(body: Uint8Array, context: PatchContext): (current: unknown) => Patched {
  const { value: patch, duplicates } = readPatch(body, context, DECODING);
  if (patch === null) throw badRequest('Invalid JSON Patch');
  if (!isObject(patch)) {
    throw badRequest(
      `${DECODING}json: cannot unmarshal ${jsonTypeOf(patch)} into Go value of type map[string]interface {}`,
    );
  }
  return (current) => {
    const value = inTouchedOrder(applyMergePatch(current, patch), patch as Touched);
    return { value, quoted: () => encodeJson(value), problems: duplicates };
  };
}
