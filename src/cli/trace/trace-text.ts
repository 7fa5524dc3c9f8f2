import { type Paint, plain } from '../paint.ts';
import type { TracedOperation, TracedRequest, TracedStep } from '../../cluster/index.ts';

/** Frequent writes of little interest: renewals of Leases, and Events. */
const BACKGROUND = /^\/apis\/(coordination\.k8s\.io\/[^/]+\/.*leases|events\.k8s\.io\/)|^\/api\/v1\/.*events(\/|\?|$)/;
const MAX_VALUE = 200;

/** Whether lists leave the request out by default. */
export function isBackground({ path }: Pick<TracedRequest, 'path'>): boolean {
  return BACKGROUND.test(path);
}

export const LIST_HEAD = line('ID', 'TIME', 'CODE', 'MS', 'USER', 'REQUEST');

/** One request in a line of the list. */
export function listLine(request: TracedRequest, paint: Paint = plain): string {
  const { id, time, code, durationMs, user, method, path } = request;
  const text = line(
    id,
    time.slice(11, 23),
    String(code),
    durationMs.toFixed(1),
    user,
    `${method} ${path.split('?')[0] ?? ''}`,
  );
  return code < 400 ? text : paint('red', text);
}

function line(...[id, time, code, ms, user, request]: readonly string[]): string {
  const cells = [id?.padEnd(6), time?.padEnd(12), code?.padEnd(4), ms?.padStart(8), user?.padEnd(24), request];
  return cells.join('  ');
}

/** One request with all its steps, as a tree. By default, steps that did nothing share one line. */
export function treeText(request: TracedRequest, isWhole = false): string {
  const { id, auditId, time, method, path, user, userAgent, code, reason, message, durationMs } = request;
  const answered = [code, reason].filter((part) => part !== undefined).join(' ');
  return [
    `${method} ${path}`,
    `request ${id} at ${time}, audit ID ${auditId || 'none'}`,
    `by ${user || 'an unknown user'} with ${userAgent || 'an unnamed client'}`,
    ...stepLines(request.steps, { indent: '', isWhole }),
    `answered ${answered} after ${durationMs.toFixed(1)} ms${message === undefined ? '' : `: ${message}`}`,
    ...(request.warnings ?? []).map((warning) => `warning: ${warning}`),
  ].join('\n');
}

interface Layout {
  readonly indent: string;
  readonly isWhole: boolean;
}

function stepLines(steps: readonly TracedStep[], { indent, isWhole }: Layout): string[] {
  const shown = isWhole ? steps : steps.filter((step) => !isSilent(step) || indent === '');
  const silent = steps.length - shown.length;
  const lines = shown.map(
    (step) =>
      (isLast: boolean): string[] =>
        stepText(step, { indent, isWhole }, isLast),
  );
  if (silent > 0) lines.push(() => [`${indent}└─ ${silent} more passed`]);
  return lines.flatMap((text, index) => text(index === lines.length - 1));
}

function stepText(step: TracedStep, { indent, isWhole }: Layout, isLast: boolean): string[] {
  const { name, decision, durationMs, by, reason, patch, steps = [] } = step;
  const why = [by, reason].filter((part) => part !== undefined && part !== '').join(': ');
  const below = `${indent}${isLast ? '   ' : '│  '}`;
  return [
    `${indent}${isLast ? '└─' : '├─'} ${name}: ${decision}${why === '' ? '' : ` (${why})`}  ${durationMs.toFixed(1)} ms`,
    ...(patch ?? []).map((operation) => `${below}  ${operationText(operation)}`),
    ...stepLines(steps, { indent: below, isWhole }),
  ];
}

/** A plugin that did nothing. */
function isSilent({ decision, steps = [], reason = '' }: TracedStep): boolean {
  return decision === 'passed' && steps.length === 0 && reason === '';
}

function operationText(operation: TracedOperation): string {
  const { op, path } = operation;
  if (op === 'remove') return `remove ${path}`;
  if (!('value' in operation)) return `${op} ${path} = (not kept)`;
  const value = JSON.stringify(operation.value) ?? '';
  return `${op} ${path} = ${value.length > MAX_VALUE ? `${value.slice(0, MAX_VALUE)}…` : value}`;
}
