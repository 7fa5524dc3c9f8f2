import { useComputed, useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { formatTime } from '../browser/ages.ts';
import { managedFieldsOf, withoutManagedFields } from '../cluster/object-parts.ts';
import type { Explanation, Schema, Schemas, Step } from '../cluster/open-api.ts';
import { useRun } from '../parts/use-run.ts';
import { VirtualRows } from '../parts/virtual-rows.tsx';
import { useApp } from '../shell/app-context.ts';
import { ownersOf, pathKey, type ManagedFieldsEntry } from '../yaml/field-owners.ts';
import { YamlText } from '../yaml/yaml-text.tsx';
import { yamlLines, type YamlLine } from '../yaml/yaml-lines.ts';
import type { TabProps } from './tab-props.ts';

const LINE_HEIGHT = 20;

/** The object as YAML; in the margin the manager of each field, below the meaning of the field that is pointed at. */
export function YamlTab({ kind, object }: TabProps) {
  const { openApi } = useApp();
  const hasManaged = useSignal(false);
  const pointed = useSignal(0);
  const schemas = useSignal<{ readonly schemas: Schemas; readonly root: Schema } | undefined>(undefined);
  useRun(async () => {
    const found = await openApi.schemas(kind);
    const root = found.root(kind);
    if (root !== undefined) schemas.value = { schemas: found, root };
  }, [openApi, kind]);
  const shown = hasManaged.value ? object : withoutManagedFields(object);
  const lines = useMemo(() => yamlLines(shown), [shown]);
  const owners = useMemo(() => ownersOf(object, managedFieldsOf(object)), [object]);
  const names = useMemo(() => shortNames(managedFieldsOf(object)), [object]);
  const explained = useComputed(() => {
    const line = lines[pointed.value];
    const known = schemas.value;
    return line === undefined || known === undefined ? undefined : known.schemas.explain(known.root, line.path);
  });
  const onKeyDown = (event: KeyboardEvent): void => {
    const step =
      event.key === 'ArrowDown' || event.key === 'j' ? 1 : event.key === 'ArrowUp' || event.key === 'k' ? -1 : 0;
    if (step === 0) return;
    pointed.value = Math.max(0, Math.min(lines.length - 1, pointed.value + step));
    event.preventDefault();
  };
  const current = lines[pointed.value];
  return (
    <div class="yaml-tab">
      <div class="toolbar">
        <span class="hint">
          Who set each field stands in the margin; point at a line, or use ↑ ↓, to read what it means.
        </span>
        <label class="check">
          <input type="checkbox" checked={hasManaged.value} onChange={() => (hasManaged.value = !hasManaged.value)} />
          managedFields
        </label>
      </div>
      <VirtualRows
        class="yaml"
        label="YAML"
        role="list"
        count={lines.length}
        rowHeight={LINE_HEIGHT}
        visible={pointed.value}
        onKeyDown={onKeyDown}
        renderRow={(index) => {
          const line = lines[index];
          if (line === undefined) return null;
          return (
            <YamlRow
              key={index}
              line={line}
              isPointed={index === pointed.value}
              managers={marginOf(lines, index, owners)}
              names={names}
              onPoint={() => (pointed.value = index)}
            />
          );
        }}
      />
      <ExplainPanel
        path={current?.path ?? []}
        explanation={explained.value}
        owners={owners.get(pathKey(current?.path ?? [])) ?? []}
      />
    </div>
  );
}

/** The managers of a line's field, unless the line above shows the same field. */
function marginOf(
  lines: readonly YamlLine[],
  index: number,
  owners: ReadonlyMap<string, readonly ManagedFieldsEntry[]>,
): readonly ManagedFieldsEntry[] {
  const line = lines[index];
  if (line === undefined || (index > 0 && lines[index - 1]?.path === line.path)) return [];
  return (
    owners.get(pathKey(line.path)) ?? (line.dashes === '' ? [] : (owners.get(pathKey(line.path.slice(0, -1))) ?? []))
  );
}

function YamlRow({
  line,
  isPointed,
  managers,
  names,
  onPoint,
}: {
  readonly line: YamlLine;
  readonly isPointed: boolean;
  readonly managers: readonly ManagedFieldsEntry[];
  readonly names: ReadonlyMap<string, number>;
  readonly onPoint: () => void;
}) {
  const [first] = managers;
  const title = managers.map(describeManager).join('\n');
  return (
    <div class={`yaml-row ${isPointed ? 'pointed' : ''}`} role="listitem" onMouseEnter={onPoint}>
      <span class={`margin hue-${names.get(first?.manager ?? '') ?? 0}`} title={title}>
        {managers.map(({ manager }) => manager).join(', ')}
      </span>
      <YamlText line={line} />
    </div>
  );
}

function describeManager({ manager, operation, subresource, time }: ManagedFieldsEntry): string {
  const via = subresource === undefined ? '' : ` of ${subresource}`;
  return `${manager ?? ''}: ${operation ?? ''}${via}${time === undefined ? '' : ` at ${formatTime(time)}`}`;
}

const HUES = 6;

/** Each manager has a colour of its own as far as there are enough. */
function shortNames(entries: readonly ManagedFieldsEntry[]): ReadonlyMap<string, number> {
  const names = [...new Set(entries.map(({ manager }) => manager ?? ''))];
  return new Map(names.map((name, index) => [name, (index % HUES) + 1]));
}

function ExplainPanel({
  path,
  explanation,
  owners,
}: {
  readonly path: readonly Step[];
  readonly explanation: Explanation | undefined;
  readonly owners: readonly ManagedFieldsEntry[];
}) {
  const name = path.reduce<string>(
    (text, step) => (typeof step === 'number' ? `${text}[${step}]` : `${text}.${step}`),
    '',
  );
  return (
    <aside class="explain" aria-label="What the field means" aria-live="polite">
      <p>
        <code class="path">{name === '' ? '(the object)' : name.slice(1)}</code>{' '}
        {explanation === undefined ? null : (
          <>
            <span class="tag">{explanation.type}</span>{' '}
            {explanation.isRequired ? <span class="tag">required</span> : null}{' '}
            {explanation.defaultText === undefined ? null : <span class="tag">default {explanation.defaultText}</span>}
          </>
        )}
        <span class="set-by">{owners.map(describeManager).join(' · ')}</span>
      </p>
      <p class="description">
        {explanation === undefined ? 'The server describes no such field.' : explanation.description}
        {explanation === undefined || explanation.choices.length === 0
          ? ''
          : ` One of: ${explanation.choices.join(', ')}.`}
      </p>
    </aside>
  );
}
