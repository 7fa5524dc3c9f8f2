import { X509Certificate } from 'node:crypto';

const PEM_BLOCK = /-----BEGIN ([^-\n]*)-----\s*\n([\s\S]*?)-----END \1-----/g;

/** What is wrong with a webhook's certificates, which are given in base64; undefined when there are some to trust. */
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
  try {
    new X509Certificate(pem);
    return undefined;
  } catch {
    return 'failed to parse certificate: x509: malformed certificate'; // Go's parser may know better what is wrong
  }
}
