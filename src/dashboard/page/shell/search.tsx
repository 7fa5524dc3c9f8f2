import { useSignal, useSignalEffect } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { sleep } from '../browser/clock.ts';
import type { Connection } from '../cluster/connection.ts';
import { pathOf, type ResourceKind } from '../cluster/resource-kind.ts';
import { linkToList, linkToObject, useApp } from './app-context.ts';

const METADATA = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io,application/json';
const AT_ONCE = 3;
const PAGE_SIZE = 500;
/** Objects of one kind that are looked through; lists of kinds with more have filters of their own. */
const MAX_PER_KIND = 5_000;
const MAX_FOUND = 60;
const PAUSE_MS = 200;

interface Found {
  readonly href: string;
  readonly title: string;
  readonly detail: string;
  /** The lower, the earlier it is listed. */
  readonly rank: number;
}

interface NameList {
  readonly metadata?: { readonly continue?: string };
  readonly items?: readonly { readonly metadata?: { readonly name?: string; readonly namespace?: string } }[];
}

/** Finds kinds, and objects of all kinds by name. */
export function Search({ onClose }: { readonly onClose: () => void }) {
  const { connection, discovery } = useApp();
  const dialog = useRef<HTMLDialogElement>(null);
  const text = useSignal('');
  const objects = useSignal<readonly Found[]>([]);
  const progress = useSignal('');
  const chosen = useSignal(0);
  useLayoutEffect(() => {
    dialog.current?.showModal(); // at once: the next key is already for the field
  }, []);
  useSignalEffect(() => {
    const wanted = text.value.trim().toLowerCase();
    const kinds = discovery.kinds.peek();
    const stop = new AbortController();
    objects.value = [];
    progress.value = '';
    chosen.value = 0;
    if (wanted.length >= 2) {
      void searchObjects(connection, kinds, {
        wanted,
        signal: stop.signal,
        onFound: (found) =>
          (objects.value = [...objects.peek(), ...found]
            .sort((left, right) => left.rank - right.rank)
            .slice(0, MAX_FOUND)),
        onProgress: (line) => (progress.value = line),
      });
    }
    return () => stop.abort();
  });
  const wanted = text.value.trim().toLowerCase();
  const kinds = wanted === '' ? [] : findKinds(discovery.kinds.value, wanted);
  const all = [...kinds, ...objects.value];
  const go = (found: Found | undefined): void => {
    if (found === undefined) return;
    location.hash = found.href;
    onClose();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'ArrowDown') chosen.value = Math.min(all.length - 1, chosen.value + 1);
    else if (event.key === 'ArrowUp') chosen.value = Math.max(0, chosen.value - 1);
    else if (event.key === 'Enter') go(all[chosen.value]);
    else if (event.key === 'Escape') onClose(); // browsers would only empty the field
    else return;
    event.preventDefault();
  };
  return (
    <dialog ref={dialog} class="search" aria-label="Search all kinds" onCancel={onClose} onClose={onClose}>
      <input
        type="search"
        placeholder="A kind, or a name of any kind"
        aria-label="Search for"
        role="combobox"
        list={undefined}
        aria-expanded={all.length > 0}
        aria-controls="found"
        aria-activedescendant={all.length > 0 ? `found-${chosen.value}` : undefined}
        value={text.value}
        onInput={({ currentTarget }) => (text.value = currentTarget.value)}
        onKeyDown={onKeyDown}
        autofocus
      />
      <ul id="found" role="listbox" aria-label="Found">
        {all.map(({ href, title, detail }, index) => (
          <li
            key={href}
            id={`found-${index}`}
            role="option"
            aria-selected={index === chosen.value}
            onClick={() => go(all[index])}
          >
            <span>{title}</span>
            <small>{detail}</small>
          </li>
        ))}
      </ul>
      <p class="progress" role="status">
        {progress.value === '' && wanted !== '' && all.length === 0 ? 'Nothing has that name.' : progress.value}
      </p>
    </dialog>
  );
}

function findKinds(kinds: readonly ResourceKind[], wanted: string): Found[] {
  const rank = ({ kind, resource, shortNames }: ResourceKind): number => {
    if (shortNames.includes(wanted) || resource === wanted) return 0;
    if (kind.toLowerCase().startsWith(wanted)) return 1;
    return kind.toLowerCase().includes(wanted) || resource.includes(wanted) ? 2 : 3;
  };
  return kinds
    .filter((kind) => kind.verbs.has('list') && rank(kind) < 3)
    .sort((left, right) => rank(left) - rank(right))
    .slice(0, 8)
    .map((kind) => ({
      href: linkToList(kind),
      title: kind.kind,
      detail: kind.group === '' ? 'core' : kind.group,
      rank: 0,
    }));
}

/** The object of that very name first, then names that begin so; Events, of which there are many for each object, last. */
function rankOf({ resource }: ResourceKind, name: string, wanted: string): number {
  const closeness = name === wanted ? 0 : name.startsWith(wanted) ? 1 : 2;
  return resource === 'events' ? 3 + closeness : closeness;
}

interface SearchOptions {
  readonly wanted: string;
  readonly signal: AbortSignal;
  readonly onFound: (found: readonly Found[]) => void;
  readonly onProgress: (line: string) => void;
}

async function searchObjects(
  connection: Connection,
  kinds: readonly ResourceKind[],
  options: SearchOptions,
): Promise<void> {
  const { signal, onProgress } = options;
  await sleep(PAUSE_MS, signal); // until typing pauses
  const left = kinds.filter(
    ({ verbs, resource, group }) => verbs.has('list') && !(resource === 'events' && group !== ''),
  );
  const total = left.length;
  let unreadable = 0;
  const work = async (): Promise<void> => {
    for (let kind = left.shift(); kind !== undefined && !signal.aborted; kind = left.shift()) {
      onProgress(`Looking through ${total - left.length} of ${total} kinds…`);
      // kinds that the viewer may not list are left out, and counted
      await searchKind(connection, kind, options).catch(() => unreadable++);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  if (!signal.aborted) onProgress(unreadable === 0 ? '' : `${unreadable} kinds could not be looked through`);
}

async function searchKind(
  connection: Connection,
  kind: ResourceKind,
  { wanted, signal, onFound }: SearchOptions,
): Promise<void> {
  let next = '';
  for (let seen = 0; seen < MAX_PER_KIND; seen += PAGE_SIZE) {
    const path = `${pathOf(kind)}?limit=${PAGE_SIZE}${next === '' ? '' : `&continue=${encodeURIComponent(next)}`}`;
    const list = await connection.clusterJson<NameList>(path, { accept: METADATA, signal });
    const found = (list.items ?? []).filter(({ metadata }) => metadata?.name?.includes(wanted));
    if (found.length > 0)
      onFound(
        found.map(({ metadata }) => ({
          href: linkToObject(kind, metadata ?? {}),
          title: metadata?.name ?? '',
          detail: `${kind.kind}${metadata?.namespace === undefined ? '' : ` in ${metadata.namespace}`}`,
          rank: rankOf(kind, metadata?.name ?? '', wanted),
        })),
      );
    next = list.metadata?.continue ?? '';
    if (next === '') return;
  }
}
