import type { ApiObject } from '../../api/index.ts';
import type { Conversion } from '../kind.ts';

/** What events.k8s.io/v1 calls the fields of a core Event; the others have the same names. */
const NAMES: readonly (readonly [core: string, events: string])[] = [
  ['involvedObject', 'regarding'],
  ['message', 'note'],
  ['source', 'deprecatedSource'],
  ['firstTimestamp', 'deprecatedFirstTimestamp'],
  ['lastTimestamp', 'deprecatedLastTimestamp'],
  ['count', 'deprecatedCount'],
  ['reportingComponent', 'reportingController'],
];

/** Between events.k8s.io/v1 and the stored core Event: the same object under other names. */
export const eventConversion: Conversion = {
  toStored: (event) => renamed(event, new Map(NAMES.map(([core, events]) => [events, core]))),
  fromStored: (event) => renamed(event, new Map(NAMES)),
};

function renamed(event: ApiObject, names: ReadonlyMap<string, string>): ApiObject {
  const entries = Object.entries(event).map(([name, value]) => [names.get(name) ?? name, value]);
  return Object.fromEntries(entries);
}
