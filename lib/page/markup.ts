/** The page without its data: the same for a report and for a live simulation. Buttons with `live` are only in the latter. */
export const MARKUP = `
<header>
  <h1>Kerf <small id="mode">simulation</small></h1>
  <p id="title"></p>
</header>
<main>
<dl id="figures" aria-label="Figures at this time">
  <div><dt>Nodes</dt><dd id="f-nodes">0</dd></div>
  <div><dt>Pods running</dt><dd id="f-running">0</dd></div>
  <div><dt>Pods pending</dt><dd id="f-pending">0</dd></div>
  <div><dt>CPU requested</dt><dd id="f-cpu">0 %</dd></div>
  <div><dt>Memory requested</dt><dd id="f-memory">0 %</dd></div>
  <div><dt>Cost an hour</dt><dd id="f-rate">$0.00</dd></div>
  <div><dt>Cost so far</dt><dd id="f-cost">$0.00</dd></div>
</dl>
<section id="time" aria-labelledby="h-time">
  <div class="head">
    <h2 id="h-time">Cost an hour</h2>
    <ul class="legend">
      <li><i class="k-cost"></i>cost</li><li><i class="k-bound"></i>lower bound</li><li><i class="k-bad"></i>pods pending</li>
    </ul>
  </div>
  <canvas id="chart" role="img" aria-label="Cost an hour and pending pods over the time"></canvas>
  <input id="scrub" type="range" min="0" value="0" step="1" aria-label="Time of the simulation">
  <div id="controls" role="group" aria-label="Playback">
    <button id="back" type="button" aria-label="Step back">&#9664;&#8201;Step</button>
    <button id="play" type="button">Play</button>
    <button id="forward" type="button" aria-label="Step forward">Step&#8201;&#9654;</button>
    <label>Speed <select id="speed"></select></label>
    <output id="clock">00:00:00</output>
    <button id="follow" type="button" class="live" hidden>Go to now</button>
    <span class="live events" hidden role="group" aria-label="Events">
      <button id="interrupt" type="button">Interrupt a spot node</button>
      <button id="outage" type="button">Fail a zone</button>
      <button id="load" type="button">10 &times; load</button>
    </span>
    <span id="status" role="status"></span>
  </div>
</section>
<div id="columns">
<div class="side">
<section id="nodes" aria-labelledby="h-nodes">
  <div class="head">
    <h2 id="h-nodes">Nodes</h2>
    <ul class="legend">
      <li><i class="k-spot"></i>spot</li><li><i class="k-on-demand"></i>on-demand</li><li><i class="k-reserved"></i>reserved</li>
      <li><i class="k-starting"></i>starting</li><li><i class="k-leaving"></i>leaving</li><li><i class="k-lost"></i>lost</li>
    </ul>
  </div>
  <p id="node" role="status">Bars show what pods request of the node. Point at a node, or select one with the arrow keys.</p>
  <div class="scroll"><canvas id="fleet" tabindex="0" role="application" aria-label="Nodes" aria-describedby="node"></canvas></div>
</section>
  <section aria-labelledby="h-pools">
    <h2 id="h-pools">NodePools</h2>
    <table>
      <thead><tr><th scope="col">Name</th><th scope="col">Nodes</th><th scope="col">CPU</th><th scope="col">Memory</th><th scope="col">$/h</th></tr></thead>
      <tbody id="pools"></tbody>
    </table>
  </section>
</div>
<div class="side">
  <section aria-labelledby="h-pending">
    <h2 id="h-pending">Pending pods</h2>
    <ul id="pending" class="scroll" tabindex="0" aria-labelledby="h-pending"></ul>
  </section>
  <section id="logs" aria-labelledby="h-log">
    <div class="head">
      <h2 id="h-log">Decisions</h2>
      <label><input id="all" type="checkbox"> every event</label>
    </div>
    <ol id="log" class="scroll" tabindex="0" reversed aria-labelledby="h-log"></ol>
  </section>
</div>
</div>
</main>
`;
