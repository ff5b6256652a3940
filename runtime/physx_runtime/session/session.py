"""`Session` steps an open USD stage, writes the results back after each step and follows edits from other sources.
`SessionView` has contacts, triggers, mass properties and object counts of the open session.
"""

from __future__ import annotations

import warnings
import weakref
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from pxr import Usd

from physx_runtime.arrays import Array
from physx_runtime.model.scene import SceneModel
from physx_runtime.packing.contacts import Touching
from physx_runtime.packing.island import sorted_islands
from physx_runtime.packing.not_simulated import require_accepted, stage_refusal
from physx_runtime.packing.scene import PackedScene, scene_model
from physx_runtime.session.actors import (
    ResumeState,
    SessionActor,
    StateEdits,
    bodies_woken,
    edit_wakes,
    matching_actors,
    pack_singles,
    refresh_after_step,
    representable_islands,
    reused_actors,
)
from physx_runtime.session.changes import JointReadContext, below, hidden_placements, joint_edits, poses, state_edits
from physx_runtime.session.layers import Into
from physx_runtime.session.listener import ChangeClassifier, Edits, StageChanges, StageListener
from physx_runtime.session.messages import (
    MassProperties,
    Message,
    Messages,
    ObjectCounts,
    diverged_message,
    mass_properties,
    messages_of,
    object_counts,
)
from physx_runtime.session.results import Results, Switches
from physx_runtime.session.resume import RestLengths, rest_lengths, with_rest_lengths
from physx_runtime.simulation.arguments import required_solver, required_time
from physx_runtime.simulation.contacts import Contacts
from physx_runtime.simulation.divergence import DivergenceWarning
from physx_runtime.simulation.events import ContactEvent, Overlap, TriggerEvent
from physx_runtime.simulation.scene import Assembly, Scene, assemble
from physx_runtime.simulation.scene_actor import SceneActor
from physx_runtime.worlds.store import SCHEDULED
from physx_schema.arguments import label, listed, required_choice, required_flag, required_text, suggestion
from physx_schema.description.bodies import gc_disabled
from physx_schema.description.model import ActorDescription, Articulation, Description
from physx_schema.description.reader import describe
from physx_schema.errors import UnsupportedError


class SessionView:
    """Contacts, triggers, mass properties and counts of a session. Each raises RuntimeError if it is closed."""

    _scene: Scene
    _description: Description

    def _require_open(self) -> None:
        """Raise RuntimeError on a closed session."""
        raise NotImplementedError

    @property
    def contacts(self) -> Contacts:
        """The contacts of the last step, as `Scene.contacts`."""
        self._require_open()
        return self._scene.contacts

    @property
    def contact_events(self) -> tuple[ContactEvent, ...]:
        """The contact events of the last step, as `Scene.contact_events`."""
        self._require_open()
        return self._scene.contact_events

    @property
    def trigger_overlaps(self) -> tuple[Overlap, ...]:
        """The colliders inside triggers, as `Scene.trigger_overlaps`."""
        self._require_open()
        return self._scene.trigger_overlaps

    @property
    def trigger_events(self) -> tuple[TriggerEvent, ...]:
        """The trigger events of the last step, as `Scene.trigger_events`."""
        self._require_open()
        return self._scene.trigger_events

    def net_contact_force(self, bodies: str | Sequence[str], partners: Sequence[str] | None = None) -> Array:
        """Return the normal contact force on bodies in the last step, as `Scene.net_contact_force` without the world
        axis.
        """
        self._require_open()
        return np.asarray(self._scene.net_contact_force(bodies, partners)[0])

    def net_friction_force(self, bodies: str | Sequence[str], partners: Sequence[str] | None = None) -> Array:
        """Return the friction force, as `net_contact_force`."""
        self._require_open()
        return np.asarray(self._scene.net_friction_force(bodies, partners)[0])

    @property
    def mass_properties(self) -> dict[str, MassProperties]:
        """Return the mass properties of every link and rigid body by prim path, as of the last reading of the stage."""
        self._require_open()
        return mass_properties(self._description)

    @property
    def counts(self) -> ObjectCounts:
        """Return the numbers of objects that PhysX creates for the stage, as of its last reading."""
        self._require_open()
        return object_counts(self._description)


_OPEN: weakref.WeakSet[Session] = weakref.WeakSet()


class Session(SessionView):
    """Step the articulations and free bodies of an open stage, and write the results back to it.

    Before the first step nothing is written. Edits between two steps are applied in the next step. After a structural
    edit, the model is rebuilt; remaining joints keep their states. If you edit a root link's transform, a joint state
    or a floating root's velocity, the simulation continues from the new value. Values on the stage are in stage units;
    angles are in degrees. Contacts are simulated as in `Scene`. `messages` lists parts that are not simulated. `close`
    keeps the results on the stage; `reset` removes them.

    Example::

        with physx_runtime.Session(stage) as session:
            session.step(1 / 60)
            stage.GetAttributeAtPath("/Robot/elbow.drive:angular:physics:targetPosition").Set(30.0)
            session.step(1 / 60)

    Args:
        stage: An open Usd.Stage; the session keeps it alive.
        transforms: Whether to write the transforms of links relative to their parent prims: translate, orient and scale
            operations, or matrices.
        velocities: Whether to write physics:velocity (of the centre of mass) and physics:angularVelocity of links, in
            world axes.
        joint_states: Whether to write state:*:physics:position and velocity of joints; for this the session applies
            PhysicsJointStateAPI.
        into: Layer for the results: "session" is the session layer, "edit_target" is the stage's current edit target.
        dtype: "float32", as in PhysX, or "float64".
        solver: "physx" uses the authored iteration counts. "ideal" solves the same equations with many iterations.
        sleeping: Whether articulations and bodies sleep as in PhysX. An edit of an actor wakes the actor.

    Raises:
        TypeError: `stage` is not an open stage.
        ValueError: An argument is out of range, or another session simulates the stage.
        AuthoringError: The layer for the results cannot be edited.
        UnsupportedError: PhysX refuses the whole stage. If PhysX refuses the stage after an edit, no body moves.
    """

    def __init__(self, stage: Usd.Stage, *, transforms: bool = True, velocities: bool = True, joint_states: bool = True,
                 into: Into = "session", dtype: str = "float32", solver: str = "physx",
                 sleeping: bool = True) -> None:
        self._closed = True                 # until everything below has worked
        _require_stage(stage)
        required_choice("dtype", dtype, ("float32", "float64"))
        switches = Switches(required_flag("transforms", transforms), required_flag("velocities", velocities),
                            required_flag("joint_states", joint_states))
        required_flag("sleeping", sleeping)
        # edits of the structure are followed without compiling, and the same edits give the same bits
        self._stage = stage
        self._settings: dict[str, Any] = {"dtype": dtype, "solver": required_solver(solver), "sleeping": sleeping,
                                          "path": SCHEDULED}
        self._messages = Messages()
        self._listener = StageListener(stage)
        self._results = Results(stage, into, switches, self._messages,
                                self._listener.ignore_changes)
        self._actors: dict[str, SessionActor] = {}
        self._resume = ResumeState()
        self._static_poses: dict[str, Any] = {}     # poses of links that are no longer simulated
        self._time, self._dt = 0.0, 1 / 60
        self._outdated = False              # the authored start has been edited since the last reading
        self._rest_lengths: RestLengths = {}
        self._classifier: ChangeClassifier
        self._read(StateEdits(), from_start=True)
        require_accepted(self._description)
        self._closed = False
        _OPEN.add(self)

    # --- stepping ----------------------------------------------------------------------------------------------------

    def step(self, dt: float = 1 / 60) -> None:
        """Apply edits, advance by `dt` seconds and write the results.

        Raises ValueError if `dt` is not positive and finite. Raises RuntimeError if the session is closed or its stage
        no longer exists.
        """
        self._require_open()
        required_time(dt)
        self._follow_edits()
        if dt != self._dt:
            self._dt = dt
            self._scene.set_time_step(dt)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DivergenceWarning)      # it becomes a message
            self._scene.step()
            refresh_after_step(self._actors.values())
        self._report_unstepped()
        for actor in self._actors.values():
            if actor.lost is not None:
                self._messages.add(diverged_message(actor.lost))
        self._results.write(list(self._actors.values()), self._static_poses)
        self._time += dt

    def reset(self) -> None:
        """Remove all results of the session from the stage and restore the authored state. Edits that the session did
        not make stay on the stage."""
        self._require_open()
        changes = self._listener.pop_changes()
        self._results.observer.classify(changes)     # what others set where results are stays
        self._results.reset()
        self._resume = ResumeState()
        if changes or self._outdated or self._static_poses:
            self._rest_lengths = {}
            self._read(StateEdits())
        self._scene.reset()
        for actor in self._actors.values():
            actor.refresh_after_reset()
        self._time = 0.0

    def close(self) -> None:
        """End the session and keep the results on the stage. A second call has no effect."""
        if not self._closed:
            self._closed = True
            _OPEN.discard(self)
            self._listener.close()
            self._actors.clear()

    def __enter__(self) -> Session:
        self._require_open()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        if self._closed:
            return "Session(closed)"
        sim = self._scene
        return (f"Session(actors={len(sim.actors)}, joints={len(sim.joints)}, kinematic={len(sim.kinematic.paths)}, "
                f"time={self._time:.6g})")

    # --- answers -----------------------------------------------------------------------------------------------------

    @property
    def closed(self) -> bool:
        """Whether the session has ended."""
        return self._closed

    @property
    def time(self) -> float:
        """Simulated time in seconds since the start or the last reset."""
        return self._time

    @property
    def messages(self) -> tuple[Message, ...]:
        """All messages so far: values that PhysX refuses or silently changes, and parts that are not simulated."""
        return self._messages.messages

    @property
    def articulations(self) -> tuple[str, ...]:
        """Prim paths of the simulated articulations and free bodies. If several articulations share one root prim,
        their names are the paths of their root links."""
        return tuple(self._actors)

    def simulation(self, articulation: str | None = None) -> SceneActor:
        """Return one of `articulations` as an actor of a `Scene`, for example to set joint efforts.

        If the stage has only one actor, the path can be None. A structural edit replaces the returned actor; call this
        method again after such an edit. Raises ValueError for a path that is not simulated, and for None if several
        actors are simulated.
        """
        self._require_open()
        if articulation is None:
            if len(self._actors) != 1:
                raise ValueError(f"the stage has {len(self._actors)} simulated articulations and free bodies; "
                                 f"give one of {listed(self._actors)}")
            return next(iter(self._actors.values())).simulation
        if required_text("articulation", articulation) not in self._actors:
            raise ValueError(f"{label(articulation)} is not a simulated articulation or free body; "
                             f"{suggestion(articulation, self._actors, 'give one of')}")
        return self._actors[articulation].simulation

    def _report_unstepped(self) -> None:
        """Name who raises the iteration counts without being stepped."""
        stepped = {actor.actor.path for actor in self._actors.values()}
        for path, actor in self._actors.items():
            counts = actor.simulation.iterations
            for other in sorted({counts.position_from, counts.velocity_from} - stepped):
                self._messages.add(Message(
                    "not-simulated", "warning", "session/iterations", path, "",
                    f"{counts.raised}; {other} is not stepped, and is treated as always awake"))

    # --- following edits ---------------------------------------------------------------------------------------------

    def _follow_edits(self) -> None:
        changes = self._listener.pop_changes()
        if not changes:
            return
        changes, values = self._results.observer.classify(changes)
        edits = self._classifier.edits_from(changes)
        if not edits:
            return
        if not self._time:                  # no results on the stage: every state there is authored
            self._resume = ResumeState()
            self._read(StateEdits(), from_start=True)
            return
        set_states = state_edits(self._stage, edits, values, list(self._actors.values()), self._messages.ignored)
        self._outdated |= bool(edits.states or edits.kinematic_targets)
        if edits.reading or not (self._send_kinematic(edits.kinematic_targets) and self._reread_joints(edits)):
            self._reread(changes, edits, set_states)
        else:
            self._apply(set_states)

    def _reread(self, changes: StageChanges, edits: Edits, set_states: StateEdits) -> None:
        """Read the stage without the results, and go on from the states that everything was last in."""
        actors = list(self._actors.values())
        self._resume.remember(actors)
        self._resume.set_poses(poses(self._stage, below(self._static_poses, edits.moved_prims)))
        hidden = hidden_placements(self._stage, changes.values, (*(actor.model.link_names[0] for actor in actors),
                                                                 *self._static_poses))
        self._results.restore()
        hidden_poses = poses(self._stage, hidden)
        self._resume.set_poses(hidden_poses)
        set_states.poses |= hidden_poses
        for old, new in changes.moves:
            self._resume.rename(old, new)
        self._resume.forget(self._stage)
        before = self._description
        self._read(set_states)
        self._report_sampled(before, edits.moved_prims)

    def _report_sampled(self, before: Description, moved_prims: set[str]) -> None:
        """Name kinematic bodies whose transforms were edited and that follow the same time samples as before."""
        samples = {body.path: body.samples for body in before.bodies}
        self._messages.ignored(
            [body.path for body in self._description.bodies if body.samples and below([body.path], moved_prims)
             and body.samples == samples.get(body.path)], "xformOpOrder",
            "its transform has time samples, which override this value; edit or remove the samples")

    def _send_kinematic(self, paths: set[str]) -> bool:
        """Send kinematic bodies to where they are on the stage; False where it has to be read as a whole."""
        kinematic_poses = poses(self._stage, paths)
        if kinematic_poses.keys() != paths or not paths.isdisjoint(self._static_poses):
            return False
        self._scene.kinematic.set_targets(kinematic_poses)
        return True

    def _reread_joints(self, edits: Edits) -> bool:
        """Take up values of single joints; False where the stage has to be read as a whole."""
        context = JointReadContext(self._stage)
        for actor in self._actors.values():
            before = actor.actor
            changed = joint_edits(context, actor.actor, edits.joints)
            if changed is None:
                continue
            try:
                if not actor.retarget(changed):
                    scene = self._description.scene_of(changed)
                    model = actor.refit(changed, scene)
                    if model is None:
                        return False
                    actor.repack(changed, scene, model)
            except (UnsupportedError, ValueError):      # which the reading of the whole stage will report
                return False
            self._update_description(before, changed)
        self._messages.add(*context.messages())
        return True

    def _update_description(self, before: ActorDescription, changed: Articulation) -> None:
        articulations = tuple(changed if a is before else a for a in self._description.articulations)
        self._description = replace(self._description, articulations=articulations)

    @gc_disabled()
    def _read(self, set_states: StateEdits, from_start: bool = False) -> None:
        """Read the stage, on which nothing of this session is written now, and carry states over."""
        read, actors_before = describe(self._stage), {name: item.actor for name, item in self._actors.items()}
        woken = frozenset() if from_start else bodies_woken(self._description, read)
        description = with_rest_lengths(read, {} if from_start else self._rest_lengths)
        self._description, self._rest_lengths = description, rest_lengths(description)
        self._outdated = description is not read
        self._messages.add(*messages_of(description))
        packed = self._packed(description)
        matches = {} if from_start else matching_actors(description, packed, self._actors.values())
        session_actors = reused_actors(description, packed, matches)
        single_models = pack_singles(description, packed, session_actors, self._settings, self._messages)
        parts = assemble(replace(packed, single=single_models), 1, dt=self._dt, **self._settings)
        for name, simulation in parts.actors.items():
            actor = packed.model.actors[name]
            session_actors[name] = SessionActor(actor, description.scene_of(actor), simulation)
            if name in matches:
                session_actors[name].continue_from(matches[name][0])
            else:
                session_actors[name].resume(self._resume.links, self._resume.joints, self._resume.derived)
        self._actors = {name: session_actors[name] for name in packed.model.actors if name in session_actors}
        actors = {name: item.simulation for name, item in self._actors.items()}
        batches = list(dict.fromkeys(actor.group.batch for actor in actors.values()))
        scene = Scene.of(description, packed.model, Assembly(actors, parts.islands, batches, parts.solver), self._dt)
        if not from_start:
            scene.continue_from(self._scene)
            for name in parts.actors:
                actor = session_actors[name].actor
                edited = name in actors_before and edit_wakes(actors_before[name], actor)
                if edited or not woken.isdisjoint(link.path for link in actor.links):
                    session_actors[name].simulation.wake()
                session_actors[name].refresh()
        self._scene = scene
        all_actors = list(self._actors.values())
        self._static_poses = self._resume.static_poses(self._stage, all_actors)
        self._classifier = ChangeClassifier(description, [item.actor for item in all_actors])
        self._results.observer.snapshot(all_actors, self._static_poses)
        self._apply(set_states)

    def _packed(self, description: Description) -> PackedScene:
        """Who moves, and the islands among them; what cannot be stepped in one is left to stand, and said."""
        if stage_refusal(description):
            return PackedScene(SceneModel({}), {}, ())
        moving = [body for body in description.bodies if not body.kinematic]
        model = scene_model(description, moving)
        touching = Touching(description, model)
        scene_islands = sorted_islands(description, model, self._settings["solver"], touching)
        islands, refused = representable_islands(scene_islands, self._settings["dtype"])
        self._messages.unsupported((line for lines in refused.values() for line in lines), "/")
        for name in refused:
            self._messages.add(Message("not-simulated", "warning", "session/held", name, "",
                                       "not simulated: the body that holds this actor is not stepped; the actor stays "
                                       "in place"))
        stepped = {name: actor for name, actor in model.actors.items() if name not in refused}
        return PackedScene(replace(model, actors=stepped), {}, islands, touching)

    def _apply(self, set_states: StateEdits) -> None:
        for actor in self._actors.values():
            actor.apply(set_states)

    def _require_open(self) -> None:
        if self._closed:
            raise RuntimeError("the session is closed; create a new Session")
        if self._stage.expired:
            self.close()
            raise RuntimeError("the stage of the session has expired; open it again and create a new Session")


def _require_stage(stage: Usd.Stage) -> None:
    if not isinstance(stage, Usd.Stage):
        raise TypeError(f"stage is {type(stage).__name__}; give an open stage, such as Usd.Stage.Open(...)")
    if stage.expired:
        raise TypeError("stage has expired; open it again and keep a reference to it")
    if any(session._stage == stage for session in _OPEN):
        raise ValueError("another session simulates this stage; close it first")
