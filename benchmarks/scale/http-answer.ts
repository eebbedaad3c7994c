export interface HttpAnswer {
  readonly status: number;
  readonly body: string;
}
