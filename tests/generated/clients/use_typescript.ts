// Uses the types that openapi-typescript generates. Compiled strictly: a wrong type that is no error fails too.
import assert from "node:assert/strict";
import createClient from "openapi-fetch";
import type { components, paths } from "./schema.js";

type Schemas = components["schemas"];

const client = createClient<paths>({
  baseUrl: process.env["ADDRESS"] ?? "",
  headers: { Authorization: `Bearer ${process.env["KEY"]}` },
  querySerializer: { array: { style: "form", explode: false } },
});

function given<Data>({ data, error }: { data?: Data; error?: Schemas["Problem"] }): Data {
  if (data === undefined) throw new Error(`${error?.code}: ${error?.detail}`);
  return data;
}

async function listWithFilters(): Promise<void> {
  const answer = await client.GET("/api/external/v1/signals", {
    params: { query: { status: ["processed", "failed"], include: ["raw"], limit: 5 } },
  });
  const statuses: Schemas["SignalStatus"][] = given(answer).map((signal) => signal.status);
  assert.deepEqual(statuses, ["processed"]);
  assert.equal(answer.response.headers.get("X-Limit"), "5");
}

async function createIdea(): Promise<string> {
  const created = given(
    await client.POST("/api/external/v1/ideas", { body: { description: "Export every table.", portalVisible: true } }),
  );
  const read = await client.GET("/api/external/v1/ideas/{ref}", { params: { path: { ref: created.publicId } } });
  assert.deepEqual(given(read), created);
  return created.publicId;
}

async function keepFreeKeys(): Promise<void> {
  const rawData = { ticket: { id: 7, tags: ["csv"] }, "any key": null };
  const created = given(
    await client.POST("/api/external/v1/signals", { body: { text: "The export is slow.", rawData } }),
  );
  const job: string | null | undefined = created.jobId;
  assert.ok(job);
  const read = await client.GET("/api/external/v1/signals/{ref}", {
    params: { path: { ref: created.publicId }, query: { include: ["raw"] } },
  });
  assert.deepEqual(given(read).rawData?.["ticket"], rawData.ticket);
}

async function readViews(): Promise<void> {
  const section: Schemas["NewPlanSection"] = {
    id: crypto.randomUUID(),
    name: "Exports",
    type: "market",
    topic: "report export",
    objective: "Who exports what?",
    questions: ["Who exports reports?"],
  };
  const started = given(
    await client.POST("/api/external/v1/research/run", {
      body: {
        command: {
          action: "start",
          requestId: crypto.randomUUID(),
          name: "Exports",
          definition: { sections: [section] },
        },
      },
    }),
  );
  assert.ok("briefId" in started);
  for (const view of ["brief", "runs", "run"] as const) {
    await readView(view, started.briefId, started.run.id);
  }
}

async function readView(view: Schemas["ResearchViewName"], brief_id: string, runId: string): Promise<void> {
  const shown = given(
    await client.GET("/api/external/v1/research/{brief_id}", {
      params: { path: { brief_id }, query: { view, runId } },
    }),
  );
  // @ts-expect-error Not every view has a brief.
  shown.brief;
  switch (shown.view) {
    case "brief":
      return assert.equal(shown.brief.id, brief_id);
    case "runs":
      return assert.deepEqual(shown.items.map((run) => run.id), [runId]);
    case "run":
      return assert.equal(shown.run.id, runId);
    default:
      throw new Error(`${shown.view} is not ${view}`);
  }
}

async function readProblems(ref: string): Promise<void> {
  const blank = await client.POST("/api/external/v1/ideas", { body: { description: " ", name: "" } });
  assert.ok(blank.error !== undefined && "errors" in blank.error);
  assert.deepEqual(blank.error.errors?.map((fault) => fault.path), ["description", "name"]);

  const moved = await client.PATCH("/api/external/v1/ideas/{ref}/status", {
    params: { path: { ref } },
    body: { status: "Approved", expectedCurrentStatus: "Planned" },
  });
  assert.equal(moved.response.status, 409);
  assert.ok(moved.error !== undefined && "currentStatus" in moved.error);
  const current: string | undefined = moved.error.currentStatus;
  assert.equal(current, "New");
}

export async function sendWrongTypes(): Promise<void> {
  // @ts-expect-error There is no such status.
  await client.GET("/api/external/v1/signals", { params: { query: { status: ["done"] } } });
  // @ts-expect-error A description is required.
  await client.POST("/api/external/v1/ideas", { body: { name: "Export" } });
  // @ts-expect-error There is no such field.
  const coloured: Schemas["NewIdea"] = { description: "Export", colour: "red" };
  const created = given(await client.POST("/api/external/v1/ideas", { body: coloured }));
  // @ts-expect-error It is a text.
  const publicId: number = created.publicId;
  assert.ok(publicId);
}

await listWithFilters();
await keepFreeKeys();
await readViews();
await readProblems(await createIdea());
