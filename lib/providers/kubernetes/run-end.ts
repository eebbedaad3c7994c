/** Ends what a run has left open, where it failed or was given up: nothing of it is to meet the next run. */
export class RunEnd {
  #stop = new AbortController();

  /** Of the run that is under way. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  end(): void {
    this.#stop.abort();
    this.#stop = new AbortController();
  }
}
