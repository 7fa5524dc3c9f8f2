import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Certificate files, created by openssl for one test; disposing removes them. */
export class TestCertificates implements AsyncDisposable {
  readonly #openssl: string;
  readonly folder: string;

  private constructor(openssl: string, folder: string) {
    this.#openssl = openssl;
    this.folder = folder;
  }

  /** With a certificate authority, whose certificate is `ca.crt`. */
  static async make(openssl: string): Promise<TestCertificates> {
    const made = new TestCertificates(openssl, await mkdtemp(join(tmpdir(), 'keelson-certificates-')));
    await made.#run('req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2',
      '-subj', '/CN=test authority', '-keyout', 'ca.key', '-out', 'ca.crt'); // prettier-ignore
    return made;
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  read(name: string): Promise<string> {
    return readFile(this.path(name), 'utf8');
  }

  /** `<name>.crt` and `<name>.key`, signed by the authority. `names` as openssl writes them: `IP:127.0.0.1,DNS:a`. */
  async issue(name: string, names: string): Promise<void> {
    await this.#run('req', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes',
      '-subj', `/CN=${name}`, '-keyout', `${name}.key`, '-out', `${name}.csr`); // prettier-ignore
    await writeFile(this.path(`${name}.ext`), `subjectAltName=${names}\nextendedKeyUsage=serverAuth,clientAuth\n`);
    await this.#run('x509', '-req', '-in', `${name}.csr`, '-CA', 'ca.crt', '-CAkey', 'ca.key', '-CAcreateserial',
      '-days', '2', '-extfile', `${name}.ext`, '-out', `${name}.crt`); // prettier-ignore
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }

  async #run(...args: readonly string[]): Promise<void> {
    await run(this.#openssl, args, { cwd: this.folder });
  }
}
