import { signal, type Signal } from '@preact/signals';
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Moment } from '../../protocol.ts';
import type { Connection } from '../cluster/connection.ts';
import type { Discovery } from '../cluster/discovery.ts';
import type { OpenApi } from '../cluster/open-api.ts';
import { resourceName, type ObjectKey, type ResourceKind } from '../cluster/resource-kind.ts';
import type { UsageSamples } from '../usage/usage-samples.ts';
import { linkTo, type Router } from './router.ts';

/** What all views share. */
export interface App {
  readonly connection: Connection;
  readonly discovery: Discovery;
  readonly openApi: OpenApi;
  readonly router: Router;
  /** The namespace that lists show; empty for all. */
  readonly namespace: Signal<string>;
  /** The moment of the past that the page shows; undefined for the present. */
  readonly moment: Signal<Moment | undefined>;
  /** The walk that the viewer is on, and its step from 1. */
  readonly walk: Signal<{ readonly id: string; readonly step: number } | undefined>;
  readonly notices: Notices;
  readonly usage: UsageSamples;
}

export interface Notice {
  readonly id: number;
  readonly text: string;
  readonly isError: boolean;
  /** The kubectl line that does the same. */
  readonly command?: string;
}

const MAX_NOTICES = 4;

/** Short reports of what was done, the newest last. */
export class Notices {
  readonly list = signal<readonly Notice[]>([]);
  #next = 1;

  add(text: string, { isError = false, command }: { isError?: boolean; command?: string } = {}): void {
    const notice = { id: this.#next++, text, isError, ...(command === undefined ? {} : { command }) };
    this.list.value = [...this.list.value, notice].slice(-MAX_NOTICES);
  }

  remove(id: number): void {
    this.list.value = this.list.value.filter((notice) => notice.id !== id);
  }
}

export const AppContext = createContext<App | undefined>(undefined);

export function useApp(): App {
  const app = useContext(AppContext);
  if (app === undefined) throw new Error('The view is not inside the page');
  return app;
}

export function linkToList(kind: Pick<ResourceKind, 'group' | 'resource'>, namespace?: string): string {
  return linkTo(['list', resourceName(kind)], { namespace });
}

/** A `-` stands for the namespace of objects without one: no namespace has that name. */
export function linkToObject(
  kind: Pick<ResourceKind, 'group' | 'resource'>,
  { namespace, name }: ObjectKey,
  tab?: string,
): string {
  return linkTo(['object', resourceName(kind), namespace || '-', name ?? ''], { tab });
}
