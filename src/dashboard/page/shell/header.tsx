import { type Signal, useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { shortUser } from '../parts/short-user.ts';
import type { ThemeChoice } from '../parts/theme.ts';
import { useRun } from '../parts/use-run.ts';
import { TableSource } from '../tables/table-source.ts';
import { useApp } from './app-context.ts';
import { linkTo } from './router.ts';

/** The bar on top: which cluster, which namespace, search, colours. */
export function Header({
  theme,
  isMenuOpen,
  onSearch,
  onHelp,
}: {
  readonly theme: ThemeChoice;
  /** On narrow screens the views and kinds are shown when they are asked for. */
  readonly isMenuOpen: Signal<boolean>;
  readonly onSearch: () => void;
  readonly onHelp: () => void;
}) {
  const { connection } = useApp();
  const info = connection.info.value;
  const isDark = theme.theme.value === 'dark';
  return (
    <header class="top">
      <button
        type="button"
        class="menu"
        aria-expanded={isMenuOpen.value}
        aria-controls="views"
        onClick={() => (isMenuOpen.value = !isMenuOpen.value)}
      >
        Menu
      </button>
      <a class="brand" href={linkTo([])}>
        <svg viewBox="0 0 16 16" aria-hidden="true">
          <path d="M2 3h3v4l5-4h4L8 8l6 5h-4L5 9v4H2z" />
        </svg>
        <span class="cluster" title={info?.serverVersion}>
          {info?.clusterName ?? 'Keelson'}
        </span>
      </a>
      <NamespacePicker />
      <button type="button" class="search-button" onClick={onSearch}>
        <span>Search all kinds</span>
        <kbd>Ctrl K</kbd>
      </button>
      <span class="who" title={[info?.user, ...(info?.groups ?? [])].join(', ')}>
        {info?.isReadOnly === true ? <span class="tag">read-only</span> : null}
        {shortUser(info?.user ?? '')}
      </span>
      <button
        type="button"
        class="icon"
        aria-label={isDark ? 'Light colours' : 'Dark colours'}
        title="Colours  t"
        onClick={() => theme.next()}
      >
        <svg viewBox="0 0 16 16" aria-hidden="true">
          <path d="M8 1.5a6.5 6.5 0 1 0 0 13zM8 0a8 8 0 1 1 0 16A8 8 0 0 1 8 0z" />
        </svg>
      </button>
      <button type="button" class="icon" aria-label="Keys" title="Keys  ?" onClick={onHelp}>
        ?
      </button>
    </header>
  );
}

/** All namespaces that the viewer may list; others can be typed. */
function NamespacePicker() {
  const { connection, discovery, namespace } = useApp();
  const kind = discovery.find('namespaces');
  const source = useMemo(
    () => (kind === undefined ? undefined : new TableSource(connection, { kind })),
    [connection, kind],
  );
  useRun(async (signal) => source?.run(signal), [source, connection.generation.value]);
  void source?.version.value;
  const names = source === undefined ? [] : [...source.rows.values()].map(({ name }) => name).sort();
  const isTyped = useSignal(false);
  const isHidden = source?.state.value.type === 'failed' || isTyped.value;
  if (isHidden)
    return (
      <div class="picker">
        <label for="namespace">namespace</label>
        <input
          id="namespace"
          value={namespace.value}
          placeholder="all"
          onChange={({ currentTarget }) => (namespace.value = currentTarget.value.trim())}
        />
      </div>
    );
  const shown = namespace.value === '' || names.includes(namespace.value) ? names : [namespace.value, ...names];
  return (
    <div class="picker">
      <label for="namespace">namespace</label>
      <select
        id="namespace"
        value={namespace.value}
        onChange={({ currentTarget }) => (namespace.value = currentTarget.value)}
      >
        <option value="">all</option>
        {shown.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
    </div>
  );
}
