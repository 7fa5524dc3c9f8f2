import {
  applyStrategicMergePatch,
  badRequest,
  conversionError,
  goText,
  StatusError,
  StrategicMergeError,
} from '../../api/index.ts';
import type { StrategicallyMerged, Struct } from '../../api/index.ts';
import { unprocessable } from './json-patch-method.ts';
import { isObject, jsonTypeOf, readPatch } from './patch-body.ts';
import type { PatchContext, Patched } from './patch-method.ts';

type Members = Record<string, unknown>;

export function prepareStrategicPatch(body: Uint8Array, context: PatchContext): (current: unknown) => Patched {
  const { value: patch, duplicates } = readPatch(body, context, '');
  if (!isObject(patch)) {
    throw badRequest(`json: cannot unmarshal ${jsonTypeOf(patch)} into Go value of type map[string]interface {}`);
  }
  const { type } = context;
  return (current) => {
    const { patched, patch: left } = merged(current as Members, patch, type);
    return {
      value: patched,
      quoted: () => goText(left),
      explain: () => conversionError(patched, type),
      problems: duplicates,
    };
  };
}

function merged(current: Members, patch: Members, type: Struct): StrategicallyMerged {
  try {
    return applyStrategicMergePatch(current, patch, type);
  } catch (error) {
    if (!(error instanceof StrategicMergeError)) throw error;
    const { code, message } = error;
    if (code === 422) throw unprocessable(error);
    throw code === 400 ? badRequest(message, { cause: error }) : new StatusError({ code, message }, { cause: error });
  }
}
