// `npm run readme:image`: plays the README's first minute against a real cluster with a real kubectl and draws the terminal into docs/images/terminal.svg.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

interface Shown {
  readonly text: string;
  readonly kind: 'command' | 'output';
  /** When the line appears, in seconds from the start of the recording. */
  readonly atSeconds: number;
}

const root = join(import.meta.dirname, '..');
const TYPING_SECONDS = 1;
const READING_SECONDS = 1.4;
const MAX_LINE = 108;
const LINE_HEIGHT = 19;
const CHARACTER_WIDTH = 8.2;
const PADDING = 18;
const TITLE_HEIGHT = 34;

const folder = await mkdtemp(join(tmpdir(), 'keelson-terminal-'));
const kubeconfig = join(folder, 'kubeconfig');
const lines: Shown[] = [];
let nowSeconds = 0.3;

const keelson = join(root, 'dist', 'keelson.js');
const up = spawn(process.execPath, [keelson, 'up', '--in-memory', '--port', '0', '--kubeconfig-out', kubeconfig]);
try {
  show('command', 'keelson up');
  for (const line of await readyLines()) show('output', line.replace(kubeconfig, '~/.kube/config'));
  play('kubectl get nodes');
  play('kubectl create deployment web --image=nginx --replicas=3');
  run('kubectl rollout status deployment/web --timeout=30s');
  play('kubectl get pods');
  play('kubectl exec deploy/web -- echo hello');
  const pod = run('kubectl get pods -o name').split('\n')[0] ?? '';
  play(`keelson why ${pod}`);
  await mkdir(join(root, 'docs', 'images'), { recursive: true });
  await writeFile(join(root, 'docs', 'images', 'terminal.svg'), draw(lines));
} finally {
  up.kill('SIGTERM');
  await once(up, 'exit');
  await rm(folder, { recursive: true, force: true });
}

async function readyLines(): Promise<readonly string[]> {
  let output = '';
  up.stdout.setEncoding('utf8');
  up.stderr.setEncoding('utf8');
  const read = (text: string): void => void (output += text);
  up.stdout.on('data', read);
  up.stderr.on('data', read);
  while (!/^ready .*\n/m.test(output)) await Promise.race([once(up.stdout, 'data'), once(up.stderr, 'data')]);
  return output.trim().split('\n');
}

/** Runs a command as typed, and shows it with what it prints. */
function play(command: string): void {
  show('command', command);
  for (const line of run(command).trimEnd().split('\n')) show('output', line);
}

function run(command: string): string {
  const [program = '', ...args] = command.split(' ');
  const env = { ...process.env, KUBECONFIG: kubeconfig };
  if (program === 'keelson') return execFileSync(process.execPath, [keelson, ...args], { env, encoding: 'utf8' });
  return execFileSync(program, args, { env, encoding: 'utf8' });
}

function show(kind: Shown['kind'], text: string): void {
  if (kind === 'command') nowSeconds += lines.length === 0 ? 0 : READING_SECONDS;
  lines.push({ kind, text: text.slice(0, MAX_LINE), atSeconds: nowSeconds });
  nowSeconds += kind === 'command' ? TYPING_SECONDS : 0.05;
}

/** The terminal as an image whose lines appear one after the other; viewers without animation see all of them. */
function draw(shown: readonly Shown[]): string {
  const width = Math.ceil(MAX_LINE * CHARACTER_WIDTH + 2 * PADDING);
  const height = TITLE_HEIGHT + shown.length * LINE_HEIGHT + 2 * PADDING;
  const rows = shown.map(({ kind, text, atSeconds }, index) => {
    const y = TITLE_HEIGHT + PADDING + (index + 0.75) * LINE_HEIGHT;
    const appear = `<animate attributeName="opacity" values="0;0;1;1" keyTimes="0;0.98;0.99;1" dur="${atSeconds.toFixed(2)}s" fill="freeze"/>`;
    const prompt = kind === 'command' ? '<tspan class="prompt">$ </tspan>' : '';
    return `<text x="${PADDING}" y="${y.toFixed(1)}" class="${kind}" xml:space="preserve">${prompt}${escape(text)}${appear}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
<style>text{font:13.5px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;fill:#c9d1d9}.command{fill:#fff;font-weight:600}.prompt{fill:#3fb950}</style>
<rect width="100%" height="100%" rx="8" fill="#0d1117"/>
<g fill="#30363d"><circle cx="20" cy="17" r="6"/><circle cx="40" cy="17" r="6"/><circle cx="60" cy="17" r="6"/></g>
${rows.join('\n')}
</svg>
`;
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
