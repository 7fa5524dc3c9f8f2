import { JsonBody, LONG, nodeDecoding, objectOf, StatusError, TEXT } from '../../api/index.ts';
import type { Toleration } from '../../api/types/core/v1.d.ts';
import { allAtOnce, messageOf } from '../../base/index.ts';

/** Tolerations in configurations and annotations. */
export const TOLERATION = objectOf('v1.Toleration', {
  key: TEXT,
  operator: TEXT,
  value: TEXT,
  effect: TEXT,
  tolerationSeconds: LONG,
});

/** The tolerations in an annotation of a namespace: a JSON list, or empty. */
export function tolerationsInAnnotation(text: string): readonly Toleration[] {
  if (text === '') return [];
  try {
    return decoded(text);
  } catch (cause) {
    throw new StatusError({ code: 500, message: messageOf(cause) }, { cause }); // an untyped error upstream
  }
}

function decoded(text: string): readonly Toleration[] {
  const { node } = new JsonBody(text);
  if (node.kind === 'null') return [];
  if (node.kind !== 'array')
    throw new Error(`json: cannot unmarshal ${node.kind} into Go value of type []v1.Toleration`);
  return node.items.map((item) => allAtOnce(nodeDecoding(item, TOLERATION.struct)).value as Toleration);
}
