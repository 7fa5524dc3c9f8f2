import { pluralOf } from '../api/client.ts';
import { clusterKind, type Kind, namespacedKind } from './kind.ts';

/** Kinds by group, apiVersion and what `kindTree` reads of each. */
type KindTexts = Readonly<Record<string, Readonly<Record<string, string>>>>;

/**
 * Kinds by group, version and plural, from a text that is short in everybody's bundles. Kinds without namespaces have a `*`, those
 * of unusual plurals say it.
 *
 * Example: `{ core: { v1: 'Pod Endpoints=endpoints Node*' } }` gives `core.v1.pods`, `core.v1.endpoints` and `core.v1.nodes`.
 */
export function kindTree<T>(texts: KindTexts): T {
  return mapValues(texts, (versions) =>
    Object.fromEntries(
      Object.entries(versions).map(([apiVersion, text]) => {
        const kinds = text.split(' ').map((word) => kindOf(apiVersion, word));
        return [kinds[0]?.version, Object.fromEntries(kinds.map((kind) => [kind.plural, kind]))];
      }),
    ),
  ) as T;
}

function kindOf(apiVersion: string, word: string): Kind {
  const [kind = '', plural = pluralOf(kind)] = word.replace('*', '').split('=');
  return (word.endsWith('*') ? clusterKind : namespacedKind)({ apiVersion, kind, plural });
}

/** The same names with other values. */
export function mapValues<T, U>(record: Readonly<Record<string, T>>, map: (value: T) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value)]));
}
