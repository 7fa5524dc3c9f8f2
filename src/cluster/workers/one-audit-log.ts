import { auditLogWriter, type LineWriter } from '../../access/index.ts';
import type { ControlPlaneOptions } from '../control-plane-options.ts';

/** The options with a writer in place of the file of the audit log, so that what workers hand over goes to the same one. */
export function withOneAuditLog(options: ControlPlaneOptions): ControlPlaneOptions {
  const { audit } = options;
  if (audit?.log === undefined) return options;
  return { ...options, audit: { ...audit, log: { ...audit.log, to: auditLogWriter(audit.log.to, options) } } };
}

/** The writer that `withOneAuditLog` has put there. */
export function auditLogOf({ audit }: ControlPlaneOptions): LineWriter | undefined {
  const to = audit?.log?.to;
  return typeof to === 'object' && 'write' in to ? to : undefined;
}
