import type { StatusError } from '../../api/index.ts';
import type { Call } from '../request/call.ts';
import type { Resource } from '../resource.ts';
import { parseAccept } from './accept.ts';
import { chooseRepresentation, statusOffer } from './media-type-choice.ts';
import type { Offer } from './media-type-choice.ts';
import { noRouteFor, notAcceptable, notStreamable } from './not-acceptable.ts';
import { isPrettyWanted } from './pretty.ts';
import { formats, mediaTypes } from './representation.ts';
import type { Representation } from './representation.ts';

/** What decides, besides the header, about the answer to a call. */
interface Target {
  readonly offer: Offer;
  /** A route knows its media types before parameters are looked at. */
  readonly isRouted: boolean;
  readonly isStream: boolean;
  readonly isCollection: boolean;
}

type Choice =
  | { readonly ok: true; readonly plain: Representation; readonly pretty: Representation }
  | { readonly ok: false; readonly refuse: () => StatusError };

const DEFAULT: Representation = { format: 'json', isPretty: false, conversion: undefined };
const PRETTY: Representation = { ...DEFAULT, isPretty: true };

const MAX_REMEMBERED = 1000;
const LONGEST_REMEMBERED = 1000;

/**
 * Finds out how a client wants its answer. Clients send the same few headers over and over, so the answers are
 * remembered: at most a thousand, oldest forgotten first.
 */
export class Negotiator {
  readonly #choices = new Map<string, Choice>();

  /**
   * The representation of the object, list or events that the call is about; throws 406 when none fits. Needs nothing
   * but the call, so it can go before any work.
   */
  negotiate(call: Call, resource: Resource): Representation {
    const header = call.header('accept') ?? '';
    const isPretty = isPrettyWanted(call);
    if (header === '' || isConnection(call, resource)) return isPretty ? PRETTY : DEFAULT;
    const target = targetOf(call, resource);
    const choice = this.#choice(header, target);
    if (!choice.ok) throw choice.refuse();
    return isPretty ? choice.pretty : choice.plain;
  }

  /** The representation of a Status; undefined when the client takes none of them, and gets indented JSON. */
  forStatus(call: Call, isSuccess: boolean): Representation | undefined {
    const header = call.header('accept') ?? '';
    const isPretty = isPrettyWanted(call);
    if (header === '') return isPretty ? PRETTY : DEFAULT;
    const choice = this.#choice(header, isSuccess ? successTarget : failureTarget);
    if (!choice.ok) return undefined;
    return isPretty ? choice.pretty : choice.plain;
  }

  #choice(header: string, target: Target): Choice {
    const key = keyOf(header, target);
    const known = this.#choices.get(key);
    if (known !== undefined) return known;
    const choice = choose(header, target);
    if (key.length > LONGEST_REMEMBERED) return choice;
    if (this.#choices.size >= MAX_REMEMBERED) this.#choices.delete(this.#choices.keys().next().value ?? '');
    this.#choices.set(key, choice);
    return choice;
  }
}

const builtInOffer: Offer = { plainFormats: formats, hasTable: true, hasPartialMetadata: true, serverVersion: 'v1' };
const actionOffer: Offer = { ...builtInOffer, hasTable: false };
const customOffer: Offer = { ...builtInOffer, plainFormats: ['json', 'yaml'] };

const failureTarget: Target = { offer: statusOffer, isRouted: false, isStream: false, isCollection: false };
const successTarget: Target = { ...failureTarget, offer: builtInOffer };

function targetOf({ info, path }: Call, resource: Resource): Target {
  const { hasProtobuf, refusals } = resource.capabilities;
  const isStream = info.verb === 'watch';
  return {
    offer: !hasProtobuf ? customOffer : hasTable(resource, info.subresource) ? builtInOffer : actionOffer,
    isRouted: refusals === 'route',
    isStream,
    isCollection: (info.verb === 'list' || isStream) && (info.parts.length === 1 || WATCH_PATH.test(path)),
  };
}

/** The old form of a watch, which is a route of its own. */
const WATCH_PATH = /^\/(?:api\/[^/]+|apis\/[^/]+\/[^/]+)\/watch\//;

/** What comes from somewhere else is of whatever type it is there. */
function isConnection({ info }: Call, resource: Resource): boolean {
  return info.subresource !== '' && resource.subresources.get(info.subresource)?.type === 'connection';
}

/** Kinds that are only posted, such as reviews and evictions, cannot be shown as a table. */
function hasTable(resource: Resource, subresource: string): boolean {
  if (subresource !== '') return resource.subresources.get(subresource)?.type !== 'action';
  return resource.verbs.includes('get') || resource.verbs.includes('list');
}

function keyOf(header: string, { offer, isRouted, isStream, isCollection }: Target): string {
  const offered = offer === builtInOffer ? 'b' : offer === customOffer ? 'c' : offer === actionOffer ? 'a' : 's';
  return `${offered}${isRouted ? 'r' : '-'}${isStream ? 'w' : '-'}${isCollection ? 'l' : '-'}${header}`;
}

function choose(header: string, target: Target): Choice {
  const { isCollection } = target;
  if (target.isRouted && !hasRoute(header)) return { ok: false, refuse: () => noRouteFor(isCollection) };
  const chosen = chooseRepresentation(parseAccept(header), target.offer);
  if (chosen === undefined) return { ok: false, refuse: notAcceptable };
  if (target.isStream && chosen.format === 'yaml') return { ok: false, refuse: notStreamable };
  return { ok: true, plain: chosen, pretty: { ...chosen, isPretty: true } };
}

/** Routes compare whole media types, without parameters: `application/*` is none of theirs. */
function hasRoute(header: string): boolean {
  return header.split(',').some((part) => routed.has((part.split(';', 1)[0] ?? '').trim()));
}

const routed = new Set(['*/*', ...formats.map((format) => mediaTypes[format])]);
