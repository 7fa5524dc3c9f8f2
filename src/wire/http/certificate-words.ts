import type { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';

export interface CertificateCheck {
  /** The name or address that the certificate must contain. */
  readonly host: string;
  readonly nowMs: number;
  /** The problem that TLS has found, if any. */
  readonly problem: string | undefined;
}

/**
 * Go's error for a server's certificate, checked in Go's order: its time, its names, its signer. Like Go, it rejects a
 * certificate that has its host only in the common name.
 */
export function certificateProblem(certificate: X509Certificate, check: CertificateCheck): Error | undefined {
  const words = timeProblem(certificate, check) ?? nameProblem(certificate, check) ?? chainProblem(check);
  return words === undefined ? undefined : new Error(`tls: failed to verify certificate: x509: ${words}`);
}

function timeProblem({ validFrom, validTo }: X509Certificate, { nowMs }: CertificateCheck): string | undefined {
  const [from, to] = [Date.parse(validFrom), Date.parse(validTo)];
  const relation = nowMs < from ? `before ${seconds(from)}` : nowMs > to ? `after ${seconds(to)}` : undefined;
  if (relation === undefined) return undefined;
  return `certificate has expired or is not yet valid: current time ${seconds(nowMs)} is ${relation}`;
}

function nameProblem(certificate: X509Certificate, { host }: CertificateCheck): string | undefined {
  const names = alternativeNames(certificate.subjectAltName ?? '');
  if (isIP(host) !== 0) {
    if (certificate.checkIP(host) !== undefined) return undefined;
    if (names.addresses.length === 0) {
      return `cannot validate certificate for ${host} because it doesn't contain any IP SANs`;
    }
    return `certificate is valid for ${names.addresses.join(', ')}, not ${host}`;
  }
  if (names.dns.length > 0 && certificate.checkHost(host, { subject: 'never', partialWildcards: false }) !== undefined)
    return undefined;
  if (names.dns.length > 0) return `certificate is valid for ${names.dns.join(', ')}, not ${host}`;
  if (names.addresses.length === 0 && /(^|\n)CN=/.test(certificate.subject)) {
    return 'certificate relies on legacy Common Name field, use SANs instead';
  }
  return `certificate is not valid for any names, but wanted to match ${host}`;
}

function chainProblem({ problem }: CertificateCheck): string | undefined {
  switch (problem) {
    case undefined:
    case 'ERR_TLS_CERT_ALTNAME_INVALID': // Go has accepted the name
      return problem === undefined ? undefined : 'certificate is not valid for the name that was asked for';
    case 'CERT_HAS_EXPIRED':
    case 'CERT_NOT_YET_VALID':
      return 'certificate has expired or is not yet valid';
    case 'CERT_SIGNATURE_FAILURE':
      return 'ECDSA verification failure';
    case 'INVALID_PURPOSE':
      return 'certificate specifies an incompatible key usage';
    default:
      return 'certificate signed by unknown authority';
  }
}

/** Parses `DNS:a, IP Address:1.2.3.4`; Node quotes names that contain a comma, which no host has. */
function alternativeNames(text: string): { readonly dns: readonly string[]; readonly addresses: readonly string[] } {
  const entries = text.split(', ');
  const after = (prefix: string): string[] =>
    entries.filter((entry) => entry.startsWith(prefix)).map((entry) => entry.slice(prefix.length));
  return { dns: after('DNS:'), addresses: after('IP Address:') };
}

function seconds(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');
}
