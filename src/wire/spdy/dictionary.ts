/**
 * The preset dictionary of SPDY/3 for the compression of headers: 1,423 bytes, of which the words are prefixed with their
 * length.
 */
const WORDS =
  'options head post put delete trace accept accept-charset accept-encoding accept-language accept-ranges age allow ' +
  'authorization cache-control connection content-base content-encoding content-language content-length ' +
  'content-location content-md5 content-range content-type date etag expect expires from host if-match ' +
  'if-modified-since if-none-match if-range if-unmodified-since last-modified location max-forwards pragma ' +
  'proxy-authenticate proxy-authorization range referer retry-after server te trailer transfer-encoding upgrade ' +
  'user-agent vary via warning www-authenticate method get status 200_OK version HTTP/1.1 url public set-cookie ' +
  'keep-alive origin';
const TAIL =
  '1001012012022052063003023033043053063074024054064074084094104114124134144154164175025045052' +
  '03 Non-Authoritative Information204 No Content301 Moved Permanently400 Bad Request401 Unauthorized403 Forbidden' +
  '404 Not Found500 Internal Server Error501 Not Implemented503 Service UnavailableJan Feb Mar Apr May Jun Jul Aug ' +
  'Sept Oct Nov Dec 00:00:00 Mon, Tue, Wed, Thu, Fri, Sat, Sun, GMTchunked,text/html,image/png,image/jpg,image/gif,' +
  'application/xml,application/xhtml+xml,text/plain,text/javascript,publicprivatemax-age=gzip,deflate,sdchcharset=' +
  'utf-8charset=iso-8859-1,utf-,*,enq=0.';

export function headerDictionary(): Buffer {
  const words = WORDS.split(' ').map((word) => `\0\0\0${String.fromCodePoint(word.length)}${word.replace('_', ' ')}`);
  return Buffer.from(words.join('') + TAIL, 'latin1');
}
