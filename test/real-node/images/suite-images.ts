import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { findPeers, peersFolder, runProgram, unpackDebian } from '../../../peers/index.ts';
import { copy, folder, type LayerFiles, link, program, text, withFiles } from './layer-files.ts';
import { type ImageSettings, type Layer, OciLayout } from './oci-layout.ts';
import { findStorageProgram, storageImages, storageProgramsFolder } from './storage-programs.ts';

const SUITE = 'registry.k8s.io/e2e-test-images/';
const STORAGE = 'registry.k8s.io/sig-storage/';
export const PAUSE_IMAGE = 'registry.k8s.io/pause:3.10.2';

const PROGRAMS = [
  'image/agnhost',
  'image/nnp',
  'image/sampledeviceplugin',
  'image/consumer',
  'image/consume-cpu',
  'image/pause',
  'image/socket-pair',
  'sample-apiserver',
  'etcd',
] as const;
type ProgramName = (typeof PROGRAMS)[number];

/** Debian packages of the images in which the suite runs a shell, by the image. */
const ROOTS = {
  tools: [
    ...['dash', 'bash', 'coreutils', 'grep', 'sed', 'findutils', 'libc-bin', 'hostname', 'curl', 'bind9-dnsutils'],
    ...['netcat-openbsd', 'iproute2', 'iperf', 'util-linux', 'procps', 'gzip', 'tar', 'busybox-static'],
  ],
  nginx: ['nginx-light', 'dash', 'coreutils', 'busybox-static'],
  perl: ['perl-base', 'dash', 'coreutils'],
  storage: [
    'dash',
    'bash',
    'coreutils',
    'util-linux',
    'mount',
    'e2fsprogs',
    'xfsprogs',
    'tar',
    'gzip',
    'socat',
    'busybox-static',
  ],
} as const;
type RootName = keyof typeof ROOTS;

/** Users and groups that tests of security contexts ask for. */
const ACCOUNTS: LayerFiles = {
  'etc/passwd': text(
    [
      'root:x:0:0:root:/root:/bin/sh',
      'nobody:x:65534:65534:nobody:/:/bin/false',
      'www-data:x:33:33::/:/bin/false',
      'user-defined-in-image:x:1000:1000::/home:/bin/sh',
      '',
    ].join('\n'),
  ),
  'etc/group': text(
    [
      'root:x:0:',
      'adm:x:4:',
      'www-data:x:33:',
      'nogroup:x:65534:',
      'user-defined-in-image:x:1000:',
      'group-defined-in-image:x:50000:user-defined-in-image',
      '',
    ].join('\n'),
  ),
};

/** A test of image volumes reads this file and looks for the distribution that the published images are made of. */
const OS_RELEASE = text('NAME="Alpine Linux"\nID=alpine\nPRETTY_NAME="Alpine Linux (Debian packages in its place)"\n');

/** Those of BusyBox, in which the user 1000 has no name: tests of volumes compare what `ls -l` prints with the number. */
const BUSYBOX_ACCOUNTS: LayerFiles = {
  'etc/passwd': text('root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/home:/bin/false\n'),
  'etc/group': text('root:x:0:\nnogroup:x:65534:\n'),
};

/** What the packages' own scripts would have set up. */
const SET_UP: LayerFiles = {
  ...ACCOUNTS,
  tmp: folder(0o1777),
  'etc/nsswitch.conf': text('passwd: files\ngroup: files\nhosts: files dns\n'),
  'etc/hosts': text('127.0.0.1 localhost\n'),
};

const TOOL_LINKS: LayerFiles = {
  'usr/bin/nc': link('nc.openbsd'),
  'usr/bin/awk': link('busybox'),
  'usr/bin/wget': link('busybox'),
  'usr/bin/ping': link('busybox'),
  'usr/bin/vi': link('busybox'),
  'usr/local/bin/iperf': link('/usr/bin/iperf'),
};

/** Where `npm run conformance:images` leaves the images: an archive for import, and the same as a folder for the registry. */
export function suiteImages(): { readonly archive: string; readonly layout: string; readonly folder: string } {
  const place = join(peersFolder(), 'suite-images');
  return { folder: place, archive: join(place, 'images.tar'), layout: join(place, 'layout') };
}

/** Why the images cannot be made here; undefined when they can. */
export function whyNoPrograms(): string | undefined {
  const found = findPeers(PROGRAMS);
  return found.paths === undefined ? found.reason : undefined;
}

export interface BuildOptions {
  /** The folder of the peers' Go module. */
  readonly source: string;
  readonly print: (line: string) => void;
}

/** Makes every image that the conformance tests want, from Go programs and Debian packages. */
export async function buildSuiteImages({ source, print }: BuildOptions): Promise<void> {
  const found = findPeers(PROGRAMS);
  if (found.paths === undefined) throw new Error(`Cannot make images: ${found.reason}`);
  const { folder: place, archive, layout } = suiteImages();
  const scratch = join(place, 'scratch');
  await rm(scratch, { recursive: true, force: true });
  await mkdir(scratch, { recursive: true });
  try {
    const images = new SuiteImages(await OciLayout.create(layout), { scratch, source, print, paths: found.paths });
    await images.addAll();
    await images.pack(archive);
    await images.addStorage();
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

interface Surroundings extends BuildOptions {
  readonly scratch: string;
  readonly paths: Readonly<Record<ProgramName, string>>;
}

class SuiteImages {
  readonly #layout: OciLayout;
  readonly #around: Surroundings;
  #busyboxLayers: Promise<readonly Layer[]> | undefined;

  constructor(layout: OciLayout, around: Surroundings) {
    this.#layout = layout;
    this.#around = around;
  }

  async addAll(): Promise<void> {
    const { paths } = this.#around;
    const tools = await this.#root('tools', TOOL_LINKS);
    const busybox = await this.#busybox();
    await this.#add(PAUSE_IMAGE, [await this.#files({ pause: program(paths['image/pause']) })], {
      Entrypoint: ['/pause'],
      User: '65535:65535',
    });
    await this.#addAgnhost(tools);
    await this.#addServers();
    await this.#add(`${SUITE}busybox:1.37.0-1`, busybox, { Cmd: ['sh'] });
    await this.#add(`${SUITE}nonroot:1.5`, busybox, { Cmd: ['sh'], User: '1234' });
    const privileged = await this.#files({ 'usr/local/bin/nnp': program(paths['image/nnp'], 0o6755) });
    await this.#add(`${SUITE}nonewprivs:1.4`, [...busybox, privileged], { Cmd: ['nnp'] });
    await this.#add(`${SUITE}glibc-dns-testing:2.0.0`, tools, { Cmd: ['bash'] });
    await this.#add(`${SUITE}ipc-utils:1.4`, tools, { Cmd: ['sh'] });
    await this.#add('registry.k8s.io/build-image/distroless-iptables:v0.9.6', tools, { Cmd: ['sh'] });
    await this.#addPrograms(tools);
  }

  async pack(archive: string): Promise<void> {
    await this.#layout.pack(archive);
    this.#around.print(`${this.#layout.imageCount} images in ${archive}`);
  }

  /**
   * Images that only tests of storage and device drivers use: they are not in the archive, and nodes pull them from the registry. The driver's
   * is always there, because its mode that pairs connections is a program of ours; the others are there when their programs are.
   */
  async addStorage(): Promise<void> {
    const { print } = this.#around;
    for (const [name, programName] of Object.entries(storageImages)) {
      const found = findStorageProgram(programName);
      if (found === undefined) {
        print(`  ${STORAGE}${name} is left out: ${programName} is not in ${storageProgramsFolder()}`);
        continue;
      }
      if (!found.isOriginal) print(`  ${programName} is a stand-in: ${basename(found.path)}`);
      const files = await this.#files({ [programName]: program(found.path) });
      const isDriver = basename(found.path) === 'hostpathplugin'; // which calls losetup and others
      const layers = isDriver ? await this.#root('storage', {}) : await this.#busybox();
      await this.#add(`${STORAGE}${name}`, [...layers, files], { Entrypoint: [`/${programName}`] });
    }
    await this.#add(`${SUITE}busybox:1.36.1-1`, await this.#busybox(), { Cmd: ['sh'] });
    await this.#layout.writeIndex();
    print(`${this.#layout.imageCount} images in the registry`);
  }

  async #addAgnhost(tools: readonly Layer[]): Promise<void> {
    const { paths, source } = this.#around;
    const module = await runProgram(['go', 'list', '-m', '-f', '{{.Dir}}', 'k8s.io/kubernetes'], { cwd: source });
    const certificates = join(module.trim(), 'test', 'images', 'agnhost', 'porter');
    const agnhost = [
      ...tools,
      await this.#files({
        agnhost: program(paths['image/agnhost']),
        'agnhost-2': link('agnhost'),
        uploads: folder(),
        'localhost.crt': copy(join(certificates, 'localhost.crt')),
        'localhost.key': copy(join(certificates, 'localhost.key')),
        'etc/os-release': OS_RELEASE,
        'usr/lib/os-release': OS_RELEASE,
      }),
    ];
    for (const tag of ['2.63.0', '2.55'])
      await this.#add(`${SUITE}agnhost:${tag}`, agnhost, { Entrypoint: ['/agnhost'], Cmd: ['pause'] });
    for (const name of ['nautilus', 'kitten']) {
      const picture = await this.#files({
        'data.json': text(`{\n"image": "${name}.jpg"\n}\n`),
        [`${name}.jpg`]: text('a picture'),
      });
      const settings = { Entrypoint: ['/agnhost'], Cmd: ['test-webserver'] };
      await this.#add(`${SUITE}${name}:1.8`, [...agnhost, picture], settings);
    }
  }

  async #addServers(): Promise<void> {
    const nginx = await this.#root('nginx', {});
    for (const tag of ['1.15-4', '1.27-0'])
      await this.#add(`${SUITE}nginx:${tag}`, nginx, { Cmd: ['nginx', '-g', 'daemon off;'] });
    await this.#add(`${SUITE}perl:5.26`, await this.#root('perl', {}), { Cmd: ['perl', '-de0'] });
  }

  async #addPrograms(tools: readonly Layer[]): Promise<void> {
    const { paths } = this.#around;
    const plugin = await this.#files({ sampledeviceplugin: program(paths['image/sampledeviceplugin']) });
    await this.#add(`${SUITE}sample-device-plugin:1.7`, [...tools, plugin], {
      Entrypoint: ['/sampledeviceplugin', '-alsologtostderr'],
    });
    const consumer = await this.#files({
      consumer: program(paths['image/consumer']),
      'consume-cpu': program(paths['image/consume-cpu']),
    });
    await this.#add(`${SUITE}resource-consumer:1.14`, [...tools, consumer], { Entrypoint: ['/consumer'] });
    const apiserver = await this.#files({ 'sample-apiserver': program(paths['sample-apiserver']) });
    await this.#add(`${SUITE}sample-apiserver:1.29.2`, [...tools, apiserver], { Entrypoint: ['/sample-apiserver'] });
    const etcd = await this.#files({ 'usr/local/bin/etcd': program(paths.etcd) });
    await this.#add('registry.k8s.io/etcd:3.6.8-0', [...tools, etcd], { Cmd: ['etcd'] });
  }

  async #add(name: string, layers: readonly Layer[], settings: ImageSettings): Promise<void> {
    await this.#layout.image(name, layers, settings);
    this.#around.print(`  ${name}`);
  }

  #files(files: LayerFiles): Promise<Layer> {
    return withFiles(files, this.#around.scratch, (staging) => this.#layout.layer(staging));
  }

  /** Layers of a root of Debian packages; `more` are files on top. */
  async #root(name: RootName, more: LayerFiles): Promise<Layer[]> {
    const root = join(peersFolder(), 'debian', `image-${name}`);
    await unpackDebian(ROOTS[name], root, { print: this.#around.print });
    return [await this.#layout.layer(root), await this.#files({ ...SET_UP, ...more })];
  }

  /** BusyBox alone. Debian's newest is taken: older ones drop variables such as `data-1` from the environment of `sh -c env`. */
  #busybox(): Promise<readonly Layer[]> {
    return (this.#busyboxLayers ??= this.#makeBusybox());
  }

  async #makeBusybox(): Promise<readonly Layer[]> {
    const root = join(peersFolder(), 'debian', 'image-busybox');
    await unpackDebian(['busybox-static'], root, { release: 'sid', print: this.#around.print });
    const quiet = join(this.#around.scratch, 'busybox');
    await writeFile(quiet, withoutLineNumbers(await readFile(join(root, 'usr', 'bin', 'busybox'))), { mode: 0o755 });
    const applets = (await runProgram([quiet, '--list'])).split('\n').filter((name) => name !== '');
    const links = applets.filter((name) => name !== 'busybox').map((name) => [`bin/${name}`, link('busybox')] as const);
    return [
      await this.#files({
        ...BUSYBOX_ACCOUNTS,
        'etc/os-release': OS_RELEASE,
        tmp: folder(0o1777),
        root: folder(0o700),
        ...Object.fromEntries(
          ['var/log', 'proc', 'sys', 'dev', 'home', 'usr/bin', 'usr/sbin'].map((at) => [at, folder()]),
        ),
        'bin/busybox': program(quiet),
        ...Object.fromEntries(links),
      }),
    ];
  }
}

/** The newest shell puts "line 0: " before its complaints; a test compares them with those of the version before. An empty format prints nothing. */
function withoutLineNumbers(binary: Buffer): Buffer {
  const format = Buffer.from('\0line %d: \0');
  const at = binary.indexOf(format);
  if (at >= 0) binary[at + 1] = 0;
  return binary;
}
