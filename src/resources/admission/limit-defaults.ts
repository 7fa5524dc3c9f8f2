import type { Container, LimitRange, PodSpec } from '../../api/types/core/v1.d.ts';
import { missingAmounts, type ResourceList, withAmounts } from '../core/resource-list.ts';

interface Defaults {
  readonly limits: ResourceList;
  readonly requests: ResourceList;
}

export interface Defaulted {
  readonly spec: PodSpec;
  /** What was set where, in words; none when nothing was. */
  readonly notes: readonly string[];
}

/** What containers ask for and may use, where they do not say so themselves. */
export function withDefaultLimits(spec: PodSpec, limitRange: LimitRange): Defaulted {
  const defaults = defaultsOf(limitRange);
  const notes: string[] = [];
  const containers = (spec.containers ?? []).map((each) => filled(each, defaults, notesOf(notes, 'container')));
  const init = spec.initContainers?.map((each) => filled(each, defaults, notesOf(notes, 'init container')));
  if (notes.length === 0) return { spec, notes };
  return { spec: { ...spec, containers, ...(init === undefined ? {} : { initContainers: init }) }, notes };
}

function defaultsOf({ spec }: LimitRange): Defaults {
  const limits: Record<string, string> = {};
  const requests: Record<string, string> = {};
  for (const item of spec?.limits ?? []) {
    if (item.type !== 'Container') continue;
    Object.assign(limits, item.default);
    Object.assign(requests, item.defaultRequest);
  }
  return { limits, requests };
}

type Note = (what: 'request' | 'limit', names: readonly string[], container: string) => void;

function notesOf(notes: string[], sort: string): Note {
  return (what, names, container) => {
    if (names.length > 0) notes.push(`${names.toSorted().join(', ')} ${what} for ${sort} ${container}`);
  };
}

function filled(container: Container, defaults: Defaults, note: Note): Container {
  const { limits, requests } = container.resources ?? {};
  const missingLimits = missingAmounts(limits, defaults.limits);
  const missingRequests = missingAmounts(requests, defaults.requests);
  note('request', Object.keys(missingRequests ?? {}), container.name);
  note('limit', Object.keys(missingLimits ?? {}), container.name);
  if (missingLimits === undefined && missingRequests === undefined) return container;
  return {
    ...container,
    resources: {
      ...container.resources,
      ...(missingLimits === undefined ? {} : { limits: withAmounts(limits, missingLimits) }),
      ...(missingRequests === undefined ? {} : { requests: withAmounts(requests, missingRequests) }),
    },
  };
}
