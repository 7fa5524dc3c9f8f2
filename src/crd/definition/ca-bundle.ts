import { X509Certificate } from 'node:crypto';

const PEM_BLOCK = /-----BEGIN ([^-\n]*)-----\s*\n([\s\S]*?)-----END \1-----/g;

/** The problem with a webhook's certificates, given in base64; undefined when at least one can be used. */
export function caBundleProblem(base64: string): string | undefined {
  const text = Buffer.from(base64, 'base64').toString('latin1');
  const certificates: string[] = [];
  let end = 0;
  for (const block of text.matchAll(PEM_BLOCK)) {
    end = block.index + block[0].length;
    if (block[1] === 'CERTIFICATE') certificates.push(block[0]);
  }
  const problems = certificates.map(certificateProblem);
  if (problems.includes(undefined)) return undefined;
  const failed = problems.find((problem) => problem !== undefined);
  const hasRest = /\S/.test(text.slice(end));
  const reason =
    failed ??
    (end === 0 || hasRest ? 'unable to parse bytes as PEM block' : 'no valid certificate authority data seen');
  return `unable to load root certificates: ${reason}`;
}

function certificateProblem(pem: string): string | undefined {
  return isCertificate(pem) ? undefined : 'failed to parse certificate: x509: malformed certificate'; // Go may accept more
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0;
  } catch {
    return false; // Node throws for what it cannot parse
  }
}
