"""Pods end as a kubelet ends them."""

from clusterlib.readiness import wait_until

from .context import expect, pod, terminated


def exit_code_ends_a_pod(context):
    context.create(pod("exit-zero"), pod("exit-seven", {"reprise.test/termination-message": "why: \"so\""}))
    for name in ("exit-zero", "exit-seven"):
        context.await_phase(name, "Running")
    context.annotate("pod", "exit-zero", exit_code=0)
    context.annotate("pod", "exit-seven", exit_code=7)
    [zero] = terminated(context.await_phase("exit-zero", "Succeeded")["status"])
    [seven] = terminated(context.await_phase("exit-seven", "Failed")["status"])
    expect("reason of exit 0", (zero["exitCode"], zero["reason"]), (0, "Completed"))
    expect("reason of exit 7", (seven["exitCode"], seven["reason"], seven["message"]), (7, "Error", 'why: "so"'))
    context.kubectl.run("delete", "pod", "exit-zero", "exit-seven")


def deletion_shows_terminated_before_removal(context):
    sidecar = {"name": "side", "image": "none", "restartPolicy": "Always"}
    setup = {"name": "setup", "image": "none"}
    context.create(pod("stopped", {"reprise.test/stop-after-milliseconds": "1500",
                                   "reprise.test/termination-message": "saved"}, initContainers=[setup, sidecar]))
    context.await_phase("stopped", "Running")
    with context.watching_pod("stopped") as until_deleted:
        context.kubectl.run("delete", "pod", "stopped", "--grace-period=30", "--wait=false")
        events = until_deleted()
    asked = next(at for at, event in events if event["object"]["metadata"].get("deletionTimestamp"))
    ended_at, ended = next((at, event["object"]) for at, event in events
                           if event["type"] == "MODIFIED" and all(terminated(event["object"]["status"])))
    gone_at = events[-1][0]
    [state] = terminated(ended["status"])
    expect("end of the container", (state["exitCode"], state["reason"], state["message"]), (143, "Error", "saved"))
    expect("phase", ended["status"]["phase"], "Failed")
    expect("init containers", [s["state"]["terminated"]["exitCode"] for s in ended["status"]["initContainerStatuses"]], [0, 0])
    if not 1.2 < ended_at - asked < 3.5:
        raise AssertionError(f"containers ended {ended_at - asked:.2f} s after the delete, not about 1.5 s")
    if not 0.3 < gone_at - ended_at < 2.5:
        raise AssertionError(f"the object went {gone_at - ended_at:.2f} s after the end, not about 0.5 s")


def grace_that_runs_out_kills(context):
    context.create(pod("slow", {"reprise.test/stop-after-milliseconds": "600000"}),
                   pod("kind", {"reprise.test/stop-exit-code": "0"}))
    for name, code, phase in (("slow", 137, "Failed"), ("kind", 0, "Succeeded")):
        context.await_phase(name, "Running")
        with context.watching_pod(name) as until_deleted:
            context.kubectl.run("delete", "pod", name, "--grace-period=2", "--wait=false")
            last = until_deleted()[-1][1]["object"]["status"]
        [state] = terminated(last)
        expect(f"end of {name}", (state["exitCode"], last["phase"]), (code, phase))


def frozen_pod_is_left_alone(context):
    """And a pod that is deleted before it ran still shows how its containers ended."""
    context.create(pod("frozen", {"reprise.test/frozen": "true"}, nodeName="system-0"), pod("marker"))
    context.await_phase("marker", "Running")
    expect("phase of the frozen pod", context.pod("frozen")["status"]["phase"], "Pending")
    context.kubectl.run("delete", "pod", "frozen", "--wait=false")
    context.kubectl.run("delete", "pod", "marker")
    with context.watching_pod("frozen") as until_deleted:
        context.kubectl.run("annotate", "pod", "frozen", "reprise.test/frozen-")
        last = until_deleted()[-1][1]["object"]["status"]
    [state] = terminated(last)
    expect("end of a pod that never ran", (state["exitCode"], state["reason"]), (137, "ContainerStatusUnknown"))


def freezing_cancels_a_stop_under_way(context):
    context.create(pod("thaw", {"reprise.test/stop-after-milliseconds": "2000"}), pod("clock"))
    context.await_phase("thaw", "Running")
    context.await_phase("clock", "Running")
    context.kubectl.run("delete", "pod", "thaw", "--wait=false")
    wait_until("the stop to begin", lambda: "reprise.test/stop-at-milliseconds" in
               context.pod("thaw")["metadata"]["annotations"], seconds=5)
    context.annotate("pod", "thaw", frozen="true")
    context.annotate("pod", "clock", stop_after_milliseconds=2500)
    context.kubectl.run("delete", "pod", "clock")  # returns after the instant at which thaw would have ended
    expect("phase of the frozen pod", context.pod("thaw")["status"]["phase"], "Running")
    context.kubectl.run("annotate", "pod", "thaw", "reprise.test/frozen-")
    context.await_gone("pod", "thaw")


ALL = (exit_code_ends_a_pod, deletion_shows_terminated_before_removal, grace_that_runs_out_kills,
       frozen_pod_is_left_alone, freezing_cancels_a_stop_under_way)
