/** Aborts pending requests of a run that failed or was aborted, so they do not overlap with the next run. */
export class RunEnd {
  #stop = new AbortController();

  /** The signal of the present run. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  end(): void {
    this.#stop.abort();
    this.#stop = new AbortController();
  }
}
