import { useSignal } from '@preact/signals';
import { FitAddon } from '@xterm/addon-fit';
import { Terminal } from '@xterm/xterm';
import { useEffect, useRef } from 'preact/hooks';
import { pathOf } from '../cluster/resource-kind.ts';
import { containersOf } from '../object/logs-tab.tsx';
import type { TabProps } from '../object/tab-props.ts';
import { useApp } from '../shell/app-context.ts';
import { ExecSession } from './exec-session.ts';
import { StylesByScript } from './styles-by-script.ts';

const SHELL = 'if command -v bash >/dev/null 2>&1; then exec bash; else exec sh; fi';
const SCROLLBACK_LINES = 5_000;

/** A shell in a container of the pod. */
export function TerminalTab({ kind, object }: TabProps) {
  const { connection } = useApp();
  const box = useRef<HTMLDivElement>(null);
  const containers = containersOf(object);
  const container = useSignal(containers.at(-1) ?? '');
  const command = useSignal('');
  const round = useSignal(0);
  const ended = useSignal('');
  const { namespace, name, uid } = object.metadata ?? {};
  useEffect(() => {
    const place = box.current;
    if (place === null) return;
    const styles = new StylesByScript(document);
    const colours = getComputedStyle(document.documentElement);
    const terminal = new Terminal({
      documentOverride: styles.document,
      fontFamily: "ui-monospace, 'DejaVu Sans Mono', 'Liberation Mono', monospace",
      fontSize: 13,
      scrollback: SCROLLBACK_LINES,
      screenReaderMode: true,
      theme: {
        background: colours.getPropertyValue('--sunken'),
        foreground: colours.getPropertyValue('--text'),
        cursor: colours.getPropertyValue('--accent'),
        selectionBackground: colours.getPropertyValue('--line-strong'),
      },
    });
    const fit = new FitAddon();
    terminal.loadAddon(fit);
    styles.during(() => terminal.open(place));
    fit.fit();
    ended.value = '';
    const words = command.peek().trim() === '' ? ['sh', '-c', SHELL] : command.peek().trim().split(/\s+/);
    let isSized = false;
    const session = new ExecSession(
      connection,
      { path: pathOf(kind, { namespace, name }), container: container.value, command: words },
      {
        onOutput: (bytes) => {
          if (!isSized) session.resize(terminal.cols, terminal.rows);
          isSized = true;
          terminal.write(bytes);
        },
        onEnd: (reason) => (ended.value = reason),
      },
    );
    terminal.onData((text) => session.send(text));
    terminal.onResize(({ cols, rows }) => session.resize(cols, rows));
    const observer = new ResizeObserver(() => fit.fit());
    observer.observe(place);
    terminal.focus();
    return () => {
      observer.disconnect();
      session[Symbol.dispose]();
      terminal.dispose();
      styles[Symbol.dispose]();
    };
  }, [uid, container.value, round.value]);
  return (
    <div class="terminal-tab">
      <form
        class="toolbar"
        onSubmit={(event) => {
          event.preventDefault();
          round.value++;
        }}
      >
        <select
          aria-label="Container"
          value={container.value}
          onChange={({ currentTarget }) => (container.value = currentTarget.value)}
        >
          {containers.map((one) => (
            <option key={one} value={one}>
              {one}
            </option>
          ))}
        </select>
        <input
          aria-label="Command"
          placeholder="a shell"
          value={command.value}
          onInput={({ currentTarget }) => (command.value = currentTarget.value)}
        />
        <button type="submit">{ended.value === '' ? 'Start again' : 'Start'}</button>
        <span class="hint" role="status">
          {ended.value}
        </span>
      </form>
      <div ref={box} class="terminal" />
    </div>
  );
}
