import { pluralOf } from '../api/client.ts';
import { clusterKind, type Kind, namespacedKind } from './kind.ts';

/**
 * Parses kinds by group, version and plural from one compact text for each group, which keeps users' bundles small. A
 * text has the group as it begins an apiVersion, or `~` for `NAME.k8s.io/` with the name of the property; then, each
 * after a `;`, versions, by default v1, and the kinds that all of them have. A `*` marks cluster-scoped kinds; `=` gives
 * an irregular plural.
 *
 * Example: `{ core: '; Pod Endpoints=endpoints Node*' }` gives `core.v1.pods`, `core.v1.endpoints` and
 * `core.v1.nodes`;
 * `{ autoscaling: 'autoscaling/;v1,v2 HorizontalPodAutoscaler' }` gives that kind in two versions.
 */
export function kindTree<T>(texts: Readonly<Record<string, string>>): T {
  return mapValues(texts, (text, name) => {
    const [group = '', ...entries] = text.split(';');
    const begin = group === '~' ? `${name}.k8s.io/` : group;
    const tree: Record<string, Record<string, Kind>> = {};
    for (const entry of entries) {
      const [versions, ...words] = entry.split(' ');
      for (const version of (versions || 'v1').split(','))
        for (const word of words) {
          const kind = kindOf(begin + version, word);
          (tree[version] ??= {})[kind.plural] = kind;
        }
    }
    return tree;
  }) as T;
}

function kindOf(apiVersion: string, word: string): Kind {
  const [kind = '', plural = pluralOf(kind)] = word.replace('*', '').split('=');
  return (word.endsWith('*') ? clusterKind : namespacedKind)({ apiVersion, kind, plural });
}

/** Maps the values of a record. */
export function mapValues<T, U>(
  record: Readonly<Record<string, T>>,
  map: (value: T, name: string) => U,
): Record<string, U> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value, name)]));
}
