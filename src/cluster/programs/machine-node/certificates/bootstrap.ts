import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { type Clock, type Logger, messageOf } from '../../../../base/index.ts';
import { type ClusterConnection, connectTo, findConnection } from '../../../../client/index.ts';
import { newPrivateKey } from '../../../../wire/certificates/index.ts';
import { nodeSubject } from '../../kubelet/node-endpoints.ts';
import { CertificateFiles, validityOf } from './certificate-files.ts';
import { requestCertificate } from './request-certificate.ts';

export interface BootstrapOptions {
  /** Written when it is missing or its certificate has ended to count. */
  readonly kubeconfig: string;
  readonly bootstrapKubeconfig: string;
  readonly certDir: string;
  readonly node: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

const RETRY_MS = 2000;

/** Where client certificates of the node are. */
export function clientCertificateFiles(certDir: string, clock: Clock): CertificateFiles {
  return new CertificateFiles('kubelet-client', certDir, clock);
}

/** Requests the node's first client certificate with a bootstrap token, and writes a kubeconfig with it. Does nothing where there is a valid one. */
export async function bootstrapClient(options: BootstrapOptions): Promise<void> {
  const { kubeconfig, bootstrapKubeconfig, certDir, node, clock, log, signal } = options;
  if (await isStillValid(kubeconfig, { clock, signal })) return;
  const connection = await findConnection({ kubeconfig: bootstrapKubeconfig, clock });
  const files = clientCertificateFiles(certDir, clock);
  const keyPath = join(certDir, 'kubelet-client.key.tmp');
  const privateKey = await keyAt(keyPath);
  log.info('requesting a client certificate with the bootstrap kubeconfig', { server: connection.server, node });
  await using client = connectTo(connection, { clock, log, userAgent: 'kubelet' });
  const wanted = {
    subject: nodeSubject(node),
    signerName: 'kubernetes.io/kube-apiserver-client-kubelet',
    usage: 'client auth',
  } as const;
  for (;;) {
    try {
      await files.store(await requestCertificate(client, wanted, { privateKey, isNamed: true, signal }));
      break;
    } catch (error) {
      signal.throwIfAborted();
      log.warn('client certificate cannot be had yet', { error: messageOf(error) });
      await clock.sleep(RETRY_MS, signal);
      signal.throwIfAborted();
    }
  }
  await rm(keyPath, { force: true });
  await mkdir(dirname(resolve(kubeconfig)), { recursive: true });
  await writeFile(kubeconfig, kubeconfigText(connection, resolve(files.path)), { mode: 0o600 });
}

/** A key that is found again when the process restarts before its request was approved. */
async function keyAt(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch {
    const key = newPrivateKey();
    await mkdir(dirname(path), { recursive: true, mode: 0o755 });
    await writeFile(path, key, { mode: 0o600 });
    return key;
  }
}

async function isStillValid(
  kubeconfig: string,
  { clock, signal }: Pick<BootstrapOptions, 'clock' | 'signal'>,
): Promise<boolean> {
  let connection: ClusterConnection;
  try {
    connection = await findConnection({ kubeconfig, clock, environment: {} });
  } catch {
    return false; // there is none yet, or it names a certificate that is gone
  }
  try {
    const { certificate } = (await connection.credentials?.current(signal)) ?? {};
    return certificate === undefined || validityOf(certificate).untilMs > clock.now();
  } catch {
    return false;
  }
}

function kubeconfigText(
  { server, certificateAuthority, insecureSkipTlsVerify }: ClusterConnection,
  pair: string,
): string {
  const authority =
    certificateAuthority === undefined
      ? {}
      : 'pem' in certificateAuthority
        ? { 'certificate-authority-data': Buffer.from(certificateAuthority.pem).toString('base64') }
        : { 'certificate-authority': resolve(certificateAuthority.path) };
  const insecure = insecureSkipTlsVerify === true ? { 'insecure-skip-tls-verify': true } : {};
  return `${JSON.stringify(
    {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'default-cluster', cluster: { server, ...authority, ...insecure } }],
      users: [{ name: 'default-auth', user: { 'client-certificate': pair, 'client-key': pair } }],
      contexts: [
        {
          name: 'default-context',
          context: { cluster: 'default-cluster', user: 'default-auth', namespace: 'default' },
        },
      ],
      'current-context': 'default-context',
    },
    undefined,
    2,
  )}\n`;
}
