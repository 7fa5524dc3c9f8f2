import { type AuditOptions, auditLogWriter, type LineWriter } from '../../access/index.ts';
import type { AccessOptions } from '../access.ts';
import type { ControlPlaneOptions } from '../control-plane-options.ts';

/** The options with a writer in place of the file of the audit log, so that what workers hand over goes to the same one. */
export function withOneAuditLog(options: ControlPlaneOptions): ControlPlaneOptions {
  const { access } = options;
  const log = access?.audit?.log;
  if (log === undefined) return options;
  return { ...options, access: withLog(access, { ...log, to: auditLogWriter(log.to, options) }) };
}

/** The same access with another audit log. */
export function withLog(access: AccessOptions | undefined, log: AuditOptions['log']): AccessOptions {
  return { ...access, ...(access?.audit === undefined ? {} : { audit: { ...access.audit, log } }) };
}

/** The writer that `withOneAuditLog` has put there. */
export function auditLogOf({ audit }: AccessOptions): LineWriter | undefined {
  const to = audit?.log?.to;
  return typeof to === 'object' && 'write' in to ? to : undefined;
}
