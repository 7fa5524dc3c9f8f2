import { useSignal } from '@preact/signals';
import { pathOf } from '../cluster/resource-kind.ts';
import { containersOf } from '../object/logs-tab.tsx';
import type { TabProps } from '../object/tab-props.ts';
import { inNamespace, kubectl } from '../parts/kubectl-command.ts';
import { KubectlLine } from '../parts/kubectl-line.tsx';
import { Problem } from '../parts/problem.tsx';
import { useRun } from '../parts/use-run.ts';
import { VirtualRows } from '../parts/virtual-rows.tsx';
import { useApp } from '../shell/app-context.ts';
import { runCommand } from '../terminal/run-command.ts';
import { entriesOf, type FolderEntry, LIST_SCRIPT, normalPath, textOf } from './folder.ts';

const MAX_LISTED_BYTES = 1024 * 1024;
const MAX_FILE_BYTES = 4 * 1024 * 1024;
const ROW_HEIGHT = 26;
const LINE_HEIGHT = 19;

/** A file that was read. */
interface OpenFile {
  readonly path: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly isCut: boolean;
}

/** The files of a container: folders to walk through, and the text of one file. */
export function FilesTab({ kind, object, route }: TabProps) {
  const { connection, router } = useApp();
  const containers = containersOf(object);
  const container = route.parameters['container'] ?? containers.at(-1) ?? '';
  const folder = normalPath(route.parameters['folder'] ?? '/');
  const file = route.parameters['file'];
  const entries = useSignal<readonly FolderEntry[] | undefined>(undefined);
  const error = useSignal<unknown>(undefined);
  const { namespace, name, uid } = object.metadata ?? {};
  const target = { path: pathOf(kind, { namespace, name }), container };
  const filePath = file === undefined ? undefined : normalPath(`${folder}/${file}`);
  useRun(
    async (signal) => {
      entries.value = undefined;
      error.value = undefined;
      try {
        const command = ['sh', '-c', LIST_SCRIPT, 'sh', folder];
        const { output } = await runCommand(connection, { ...target, command }, { maxBytes: MAX_LISTED_BYTES, signal });
        entries.value = entriesOf(new TextDecoder().decode(output));
      } catch (cause) {
        if (!signal.aborted) error.value = cause;
      }
    },
    [uid, container, folder, connection.generation.value],
  );
  const shown: readonly FolderEntry[] = [
    ...(folder === '/' ? [] : [{ type: 'folder' as const, name: '..' }]),
    ...(entries.value ?? []),
  ];
  return (
    <div class="files-tab">
      <div class="toolbar">
        <select
          aria-label="Container"
          value={container}
          onChange={({ currentTarget }) => router.adjust({ container: currentTarget.value, file: undefined })}
        >
          {containers.map((one) => (
            <option key={one} value={one}>
              {one}
            </option>
          ))}
        </select>
        <input
          id="filter"
          aria-label="Folder"
          value={folder}
          onChange={({ currentTarget }) => router.adjust({ folder: normalPath(currentTarget.value), file: undefined })}
        />
        <span class="count" role="status">
          {entries.value === undefined
            ? error.value === undefined
              ? 'Loading…'
              : ''
            : `${entries.value.length} ${entries.value.length === 1 ? 'entry' : 'entries'}`}
        </span>
      </div>
      <div class={`split ${filePath === undefined ? '' : 'two'}`}>
        {error.value === undefined ? (
          <VirtualRows
            class="files"
            label="Files"
            count={shown.length}
            rowHeight={ROW_HEIGHT}
            renderRow={(index) => {
              const entry = shown[index];
              return entry === undefined ? null : (
                <FileRow
                  key={entry.name}
                  entry={entry}
                  isOpen={entry.name === file}
                  onOpen={() =>
                    router.adjust(
                      entry.type === 'folder'
                        ? { folder: normalPath(`${folder}/${entry.name}`), file: undefined }
                        : { file: entry.name },
                    )
                  }
                />
              );
            }}
          />
        ) : (
          <Problem error={error.value} what={`the folder ${folder}`} />
        )}
        {filePath === undefined ? null : (
          <FileContents key={`${container}${filePath}`} path={filePath} target={target} />
        )}
      </div>
      <footer class="view-footer">
        <KubectlLine
          command={
            filePath === undefined
              ? kubectl('exec', name, ...inNamespace(namespace), '-c', container, '--', 'ls', '-la', folder)
              : kubectl('exec', name, ...inNamespace(namespace), '-c', container, '--', 'cat', filePath)
          }
        />
      </footer>
    </div>
  );
}

function FileRow({
  entry,
  isOpen,
  onOpen,
}: {
  readonly entry: FolderEntry;
  readonly isOpen: boolean;
  readonly onOpen: () => void;
}) {
  const { name, type } = entry;
  return (
    <div class={`file-row ${isOpen ? 'selected' : ''}`} role="listitem">
      {type === 'other' ? (
        <span class="hint">{name} (no file)</span>
      ) : (
        <button type="button" class="quiet" aria-current={isOpen ? 'true' : undefined} onClick={onOpen}>
          <span class={`file-mark ${type}`} aria-hidden="true" />
          {name}
          {type === 'folder' ? '/' : ''}
        </button>
      )}
    </div>
  );
}

function FileContents({
  path,
  target,
}: {
  readonly path: string;
  readonly target: { readonly path: string; readonly container: string };
}) {
  const { connection } = useApp();
  const open = useSignal<OpenFile | undefined>(undefined);
  const error = useSignal<unknown>(undefined);
  useRun(
    async (signal) => {
      try {
        const { output, isCut } = await runCommand(
          connection,
          { ...target, command: ['cat', path] },
          { maxBytes: MAX_FILE_BYTES, signal },
        );
        open.value = { path, bytes: output, isCut };
      } catch (cause) {
        if (!signal.aborted) error.value = cause;
      }
    },
    [path, target.path, target.container],
  );
  if (error.value !== undefined) return <Problem error={error.value} what={`the file ${path}`} />;
  const file = open.value;
  if (file === undefined) return <p class="empty">Loading…</p>;
  const lines = textOf(file.bytes)?.split('\n');
  return (
    <div class="file-contents">
      <p class="toolbar">
        <strong class="wrap">{path}</strong>
        <span class="hint">
          {file.bytes.length} bytes{file.isCut ? ', the beginning of more' : ''}
        </span>
        <span class="grow" />
        <button type="button" onClick={() => save(file)}>
          Save
        </button>
      </p>
      {lines === undefined ? (
        <p class="empty">This is not text.</p>
      ) : (
        <VirtualRows
          class="logs"
          label={`Lines of ${path}`}
          count={lines.length}
          rowHeight={LINE_HEIGHT}
          renderRow={(index) => (
            <div key={index} class="log-row" role="listitem">
              <code>{lines[index]}</code>
            </div>
          )}
        />
      )}
    </div>
  );
}

/** Lets the browser store the file, under its own name and as bytes that nothing opens by itself. */
function save({ path, bytes }: OpenFile): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([bytes], { type: 'application/octet-stream' }));
  link.download = path.slice(path.lastIndexOf('/') + 1);
  link.click();
  URL.revokeObjectURL(link.href);
}
