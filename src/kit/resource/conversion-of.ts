import { conversionHandler, type WebhookHandler } from '../webhooks/index.ts';
import type { DefinedKind } from './defined-kind.ts';

/** Answers the conversion reviews of these kinds: `webhookServer({ handlers: { '/convert': conversionOf(Cache) } })`. */
export function conversionOf(...kinds: readonly DefinedKind[]): WebhookHandler {
  return conversionHandler((object, toVersion) => {
    const group = object.apiVersion.split('/')[0] ?? '';
    const kind = kinds.find((candidate) => candidate.group === group && candidate.kind === object.kind);
    if (kind === undefined) throw new Error(`Cannot convert a ${object.kind} of "${object.apiVersion}": unknown kind`);
    return kind.convert(object as never, `${group}/${toVersion}`);
  });
}
