import type { Buffer } from 'node:buffer';
import type { Clock } from '../../base/index.ts';
import { ClosedStreams } from './closed-streams.ts';
import { informationFrame, pingAck, resetFrame, settingsAck, settingsFrame, windowFrame } from './control-frames.ts';
import { FrameBudget } from './frame-budget.ts';
import type { FrameHead, FrameSink } from './frame-reader.ts';
import { dependencyIn, HeaderFrames, type ReadHeaders } from './header-frames.ts';
import { CODE, ConnectionError, DEFAULT_WINDOW_BYTES, FLAG, FRAME, MAX_WINDOW_BYTES, SETTING } from './protocol.ts';
import type { HeaderLimits, RequestHeaders } from './request-headers.ts';
import type { Sender } from './sender.ts';
import { ServerStream, STREAM_WINDOW_BYTES, type StreamOwner } from './server-stream.ts';
import { readSettings } from './settings.ts';

/** As large as a stream's window: nearly all bodies fit into one frame. */
export const MAX_INCOMING_FRAME_BYTES = STREAM_WINDOW_BYTES;

/**
 * All bodies on their way together. This much is read and decrypted of one connection in a turn of the event loop, so it bounds
 * how long many connections hold up the others. Bodies that wait to be read do not count: what has come is confirmed at once.
 */
const CONNECTION_WINDOW_BYTES = 256 * 1024;

/** Below this size, the piece of a body costs more than its bytes. */
const SMALL_PIECE_BYTES = 64;

/** What goes with a request, such as windows and a priority, is paid for by it. */
const FRAMES_PER_REQUEST = 4;
const FRAMES_PER_DATA = 2;

export interface SessionLimits extends HeaderLimits {
  /** Requests at once. */
  readonly maxStreams: number;
  /** How long a client that still sends may go on after its answer. */
  readonly lingerMs: number;
}

export interface SessionEvents {
  /** A request has come. */
  arrived(stream: ServerStream): void;
  /** A request was refused, or broke the rules before it was one. */
  refused(): void;
  /** The client opens no more streams. */
  leaving(): void;
}

export interface SessionOptions {
  readonly clock: Clock;
  readonly limits: SessionLimits;
  readonly sender: Sender;
  readonly events: SessionEvents;
}

/** What HTTP/2 knows of one connection: its streams, windows and settings. Breaches of its rules are thrown, as ConnectionError. */
export class Session implements FrameSink, StreamOwner {
  readonly #clock: Clock;
  readonly #limits: SessionLimits;
  readonly #sender: Sender;
  readonly #events: SessionEvents;
  readonly #budget: FrameBudget;
  readonly #frames: HeaderFrames;
  readonly #streams = new Map<number, ServerStream>();
  readonly #closed = new ClosedStreams();
  /** Bytes of frames that no window bounds: headers, mostly. Who reads the connection counts on from nothing when others had a turn. */
  unboundBytes = 0;
  /** The last stream that the client has opened. */
  #last = 0;
  /** Where the content of the DATA frame under way goes. */
  #target: ServerStream | undefined;
  #content = 0;
  #hasSettings = false;
  #isAcknowledged = false;
  /** Streams that were opened before the client had taken note of our settings. */
  #early = 0;
  #isDraining = false;
  #initialWindow = DEFAULT_WINDOW_BYTES;
  #receiveWindow = CONNECTION_WINDOW_BYTES;
  #unconfirmed = 0;

  constructor({ clock, limits, sender, events }: SessionOptions) {
    this.#clock = clock;
    this.#limits = limits;
    this.#sender = sender;
    this.#events = events;
    this.#budget = new FrameBudget(clock);
    this.#frames = new HeaderFrames(limits);
    sender.control(
      settingsFrame([
        [SETTING.maxConcurrentStreams, limits.maxStreams],
        [SETTING.initialWindowSize, STREAM_WINDOW_BYTES],
        [SETTING.maxFrameSize, MAX_INCOMING_FRAME_BYTES],
        [SETTING.maxHeaderListSize, limits.maxHeaderBytes],
      ]),
    );
    sender.control(windowFrame(0, CONNECTION_WINDOW_BYTES - DEFAULT_WINDOW_BYTES));
  }

  get lastStream(): number {
    return this.#last;
  }

  get openStreams(): number {
    return this.#streams.size;
  }

  /** Takes no more requests: what comes is ignored, and its client knows. */
  drain(): void {
    this.#isDraining = true;
  }

  /** Ends every stream that is open. */
  closeStreams(): void {
    const streams = [...this.#streams.values()];
    this.#streams.clear();
    for (const stream of streams) stream.close();
  }

  // What its streams and its sender tell it.

  ready(stream: ServerStream): void {
    this.#sender.list(stream);
  }

  inform(stream: ServerStream, code: number): void {
    this.#sender.control(informationFrame(stream.id, code));
  }

  resetStream(stream: ServerStream, code: number): void {
    this.#closed.add(stream.id, true);
    this.#sender.control(resetFrame(stream.id, code));
  }

  openWindow(stream: ServerStream, bytes: number): void {
    this.#sender.control(windowFrame(stream.id, bytes));
  }

  linger(stream: ServerStream): Disposable {
    return this.#clock.timer(this.#limits.lingerMs, () => stream.reset(CODE.noError));
  }

  progress(): void {
    this.#budget.earn(FRAMES_PER_DATA);
  }

  streamOver(stream: ServerStream): void {
    if (!this.#streams.delete(stream.id)) return;
    if (stream.isComplete) this.#closed.add(stream.id, false);
    stream.close();
  }

  // Frames.

  begin(head: FrameHead): void {
    if (!this.#hasSettings && (head.type !== FRAME.settings || (head.flags & FLAG.ack) !== 0)) {
      throw breach('The first frame is not SETTINGS');
    }
    this.#hasSettings = true;
    const { underWay } = this.#frames;
    if ((head.type === FRAME.continuation) !== (underWay !== undefined) || (underWay ?? head.stream) !== head.stream) {
      throw breach('Headers are not followed by the rest of them');
    }
    if (head.type === FRAME.data) this.#beginData(head);
  }

  payload(head: FrameHead, bytes: Buffer, start: number): void {
    const { type, stream } = head;
    this.unboundBytes += head.length;
    const isOfConnection = type === FRAME.settings || type === FRAME.ping || type === FRAME.goaway;
    if (type <= FRAME.continuation && type !== FRAME.windowUpdate && isOfConnection !== (stream === 0)) {
      throw breach(`A frame of type ${type} is for stream ${stream}`);
    }
    switch (type) {
      case FRAME.headers:
        this.#headers(head, bytes.subarray(start, start + head.length));
        break;
      case FRAME.continuation: {
        const read = this.#frames.continue(head, bytes.subarray(start, start + head.length));
        if (read !== undefined) this.#take(read);
        break;
      }
      case FRAME.windowUpdate:
        this.#windowUpdate(stream, bytes.readUInt32BE(start) & MAX_WINDOW_BYTES);
        break;
      case FRAME.resetStream:
        this.#reset(stream);
        break;
      case FRAME.settings:
        this.#settings(head, bytes.subarray(start, start + head.length));
        break;
      case FRAME.ping:
        this.#spend();
        if ((head.flags & FLAG.ack) === 0) this.#sender.control(pingAck(bytes.subarray(start, start + head.length)));
        break;
      case FRAME.goaway:
        this.#spend();
        this.#events.leaving();
        break;
      case FRAME.priority:
        this.#spend();
        if ((bytes.readUInt32BE(start) & MAX_WINDOW_BYTES) === stream) this.#refuseDependency(stream);
        break;
      case FRAME.pushPromise:
        throw breach('A client cannot promise');
      default:
        this.#spend(); // of an extension
    }
  }

  #beginData({ stream: id, length }: FrameHead): void {
    this.#receiveWindow -= length;
    if (this.#receiveWindow < 0) throw new ConnectionError(CODE.flowControlError, 'More data than the window allows');
    const stream = this.#streams.get(id);
    this.#target = undefined;
    this.#content = 0;
    if (stream === undefined) {
      if (id === 0 || id > this.#last) throw breach(`There is no stream ${id}`);
      this.#refuseLate(id);
    } else if (stream.destroyed) this.#spend();
    else if (stream.isInputOver) stream.reset(CODE.streamClosed);
    else {
      stream.receiveWindow -= length;
      if (stream.receiveWindow < 0) stream.reset(CODE.flowControlError);
      else this.#target = stream;
    }
  }

  data(_head: FrameHead, content: Buffer): void {
    if (content.length >= SMALL_PIECE_BYTES) this.#budget.earn(1);
    else this.#spend();
    this.#content += content.length;
    const stream = this.#target;
    if (stream !== undefined && !stream.destroyed) stream.receive(content);
  }

  dataEnds({ length, flags }: FrameHead): void {
    this.#confirm(length);
    const isEnd = (flags & FLAG.endStream) !== 0;
    if (this.#content === 0 && !isEnd) this.#spend();
    const stream = this.#target;
    if (stream === undefined || stream.destroyed) return;
    stream.confirmPadding(length - this.#content);
    if (isEnd) stream.inputEnds();
  }

  #confirm(bytes: number): void {
    this.#unconfirmed += bytes;
    if (this.#unconfirmed < CONNECTION_WINDOW_BYTES / 2) return;
    this.#sender.control(windowFrame(0, this.#unconfirmed));
    this.#receiveWindow += this.#unconfirmed;
    this.#unconfirmed = 0;
  }

  /** Something came for a stream that is over. What we have ended ourselves may have been on its way. */
  #refuseLate(id: number): void {
    this.#spend();
    if (this.#closed.find(id) !== 'reset by us') this.#sender.control(resetFrame(id, CODE.streamClosed));
  }

  #headers(head: FrameHead, payload: Buffer): void {
    if (head.stream % 2 === 0) throw breach(`A client cannot open stream ${head.stream}`);
    const read = this.#frames.begin(head, payload);
    if (read !== undefined) this.#take(read);
    if (dependencyIn(head, payload) === head.stream) this.#refuseDependency(head.stream);
  }

  #take({ stream: id, headers, isEndOfStream }: ReadHeaders): void {
    const stream = this.#streams.get(id);
    if (id > this.#last) {
      this.#last = id;
      this.#open(id, headers, isEndOfStream);
    } else if (stream !== undefined) this.#trailers(stream, headers, isEndOfStream);
    else if (this.#closed.find(id) === 'reset by us') this.#spend();
    else if (this.#closed.find(id) === 'ended') throw new ConnectionError(CODE.streamClosed, `Stream ${id} is closed`);
    else throw breach(`Stream ${id} comes after ${this.#last}`);
  }

  #open(id: number, headers: RequestHeaders, isWhole: boolean): void {
    if (this.#isDraining) {
      this.#closed.add(id, true);
      this.#spend();
      return;
    }
    if (!this.#isAcknowledged && ++this.#early > this.#limits.maxStreams) {
      throw new ConnectionError(CODE.enhanceYourCalm, 'Too many streams before the settings are known');
    }
    const stream = new ServerStream(id, { headers, isWhole, sendWindow: this.#initialWindow }, this);
    const refusal = this.#refusalOf(headers);
    if (refusal !== undefined) {
      this.resetStream(stream, refusal);
      this.#events.refused();
      return;
    }
    this.#budget.earn(FRAMES_PER_REQUEST);
    this.#streams.set(id, stream);
    if (isWhole && headers.contentLength !== undefined) stream.inputEnds();
    this.#events.arrived(stream);
  }

  /** Headers that are too large are the server's to answer. */
  #refusalOf(headers: RequestHeaders): number | undefined {
    if (this.#streams.size >= this.#limits.maxStreams) return CODE.refusedStream;
    if (headers.isTooMany) return CODE.enhanceYourCalm;
    return headers.isTooLarge || headers.isRequest ? undefined : CODE.protocolError;
  }

  #trailers(stream: ServerStream, headers: RequestHeaders, isEndOfStream: boolean): void {
    if (stream.destroyed) return;
    if (stream.isInputOver) stream.reset(CODE.streamClosed);
    else if (!isEndOfStream || !headers.isTrailers) stream.reset(CODE.protocolError);
    else stream.inputEnds();
  }

  #reset(id: number): void {
    if (id > this.#last) throw breach(`There is no stream ${id}`);
    const stream = this.#streams.get(id);
    if (stream === undefined || stream.destroyed) {
      this.#spend();
      return;
    }
    this.#closed.add(id, false);
    stream.markReset();
  }

  /** A stream cannot depend on itself; otherwise priorities mean nothing here. */
  #refuseDependency(id: number): void {
    const stream = this.#streams.get(id);
    if (stream === undefined) this.#sender.control(resetFrame(id, CODE.protocolError));
    else stream.reset(CODE.protocolError);
  }

  #windowUpdate(id: number, bytes: number): void {
    this.#spend();
    if (id === 0) {
      this.#sender.window += bytes;
      if (bytes === 0) throw breach('A window is opened by nothing');
      if (this.#sender.window > MAX_WINDOW_BYTES)
        throw new ConnectionError(CODE.flowControlError, 'Too large a window');
      this.#sender.unblock();
      return;
    }
    if (id > this.#last) throw breach(`There is no stream ${id}`);
    const stream = this.#streams.get(id);
    if (stream === undefined || stream.destroyed) return;
    stream.sendWindow += bytes;
    if (bytes === 0) stream.reset(CODE.protocolError);
    else if (stream.sendWindow > MAX_WINDOW_BYTES) stream.reset(CODE.flowControlError);
    else if (stream.queuedBytes > 0) this.#sender.list(stream);
  }

  #settings({ flags, length }: FrameHead, payload: Buffer): void {
    if ((flags & FLAG.ack) !== 0) {
      if (length > 0) throw new ConnectionError(CODE.frameSizeError, 'An acknowledgement has nothing to say');
      this.#isAcknowledged = true;
      return;
    }
    this.#spend();
    const { headerTableBytes, initialWindowBytes, maxFrameBytes } = readSettings(payload);
    if (headerTableBytes !== undefined) this.#sender.encoder.limitTable(headerTableBytes);
    if (maxFrameBytes !== undefined) this.#sender.maxFrameBytes = Math.min(maxFrameBytes, MAX_INCOMING_FRAME_BYTES);
    if (initialWindowBytes !== undefined) this.#changeWindows(initialWindowBytes);
    this.#sender.control(settingsAck());
  }

  #changeWindows(initial: number): void {
    const change = initial - this.#initialWindow;
    this.#initialWindow = initial;
    for (const stream of this.#streams.values()) {
      stream.sendWindow += change;
      if (stream.sendWindow > MAX_WINDOW_BYTES) throw new ConnectionError(CODE.flowControlError, 'Too large a window');
      if (stream.queuedBytes > 0) this.#sender.list(stream);
    }
  }

  #spend(): void {
    if (!this.#budget.spend()) throw new ConnectionError(CODE.enhanceYourCalm, 'Too many frames that bring nothing');
  }
}

function breach(message: string): ConnectionError {
  return new ConnectionError(CODE.protocolError, message);
}
