import { gunzipSync, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { LinkRewriter } from './link-rewriter.ts';
import { proxiedLink, withProxiedLinks } from './proxied-links.ts';
import { readProxyName } from './proxy-name.ts';

const place = {
  prefix: '/api/v1/namespaces/default/services/web/proxy',
  serverHost: '10.244.0.2:80',
  clientHost: 'localhost:8001',
};

test.each([
  ['/page', `${place.prefix}/page`],
  ['/page/', `${place.prefix}/page/`],
  ['/page?a=/b#c', `${place.prefix}/page?a=/b#c`],
  ['page', 'page'],
  ['../page', '../page'],
  ['http://elsewhere/page', 'http://elsewhere/page'],
  ['//elsewhere/page', '//elsewhere/page'],
  ['http://10.244.0.2:80/page', `${place.prefix}/page`],
  ['http://localhost:8001/page', `http://localhost:8001${place.prefix}/page`],
  [`${place.prefix}/page`, `${place.prefix}/page`],
  ['mailto:ada', 'mailto:ada'],
  ['#here', '#here'],
  ['', ''],
])('the link %j is %j behind the proxy', (link, wanted) => {
  expect(proxiedLink(link, place)).toBe(wanted);
});

const PAGE = `<!DOCTYPE html><html><head><LINK rel=stylesheet HREF=/style.css><title><a href="/no"></title></head>
<!-- <a href="/no"> --><body class="a > b"><a title='>' href='/yes?a=1&amp;b=2'>x</a><img src = "/i.png"/>
<script>if (a<b) document.write('<a href="/no">')</script><p>1 < 2 <b>é</b><a href="relative">y</a></body></html>`;
const REWRITTEN = PAGE.replace('HREF=/style.css', 'HREF="/p/style.css"')
  .replace(`href='/yes?a=1&amp;b=2'`, `href="/p/yes?a=1&amp;b=2"`)
  .replace(`src = "/i.png"`, `src="/p/i.png"`);

test.each([1, 2, 7, 1000])('rewrites the links of a page that arrives in pieces of %i bytes', (size) => {
  const rewriter = new LinkRewriter((url) => (url.startsWith('/') ? `/p${url}` : url));
  const bytes = Buffer.from(PAGE).toString('latin1');
  let text = '';
  for (let at = 0; at < bytes.length; at += size) text += rewriter.push(bytes.slice(at, at + size));
  expect(Buffer.from(text + rewriter.end(), 'latin1').toString()).toBe(REWRITTEN);
});

test('passes on a tag that does not end, in linear time', () => {
  const rewriter = new LinkRewriter(() => 'never');
  let length = rewriter.push(`<a href="`).length;
  for (let piece = 0; piece < 1_000_000; piece++) length += rewriter.push('x').length;
  expect(length + rewriter.end().length).toBe(1_000_009);
  expect(length).toBeGreaterThan(900_000);
});

test('compressed pages stay compressed', async () => {
  async function* page(): AsyncGenerator<Uint8Array> {
    yield gzipSync('<a href="/x">');
  }
  const parts: Uint8Array[] = [];
  for await (const part of withProxiedLinks(page(), 'gzip', place) ?? []) parts.push(part);
  expect(gunzipSync(Buffer.concat(parts)).toString()).toBe(`<a href="${place.prefix}/x">`);
  expect(withProxiedLinks(page(), 'br', place)).toBeUndefined();
});

test.each([
  ['web', { scheme: 'http', name: 'web', port: '' }],
  ['web:80', { scheme: 'http', name: 'web', port: '80' }],
  ['https:web:', { scheme: 'https', name: 'web', port: '' }],
  ['ftp:web:80', undefined],
  [':web', undefined],
  ['a:b:c:d', undefined],
])('the name %j of a proxy is read', (text, wanted) => {
  expect(readProxyName(text)).toEqual(wanted);
});
