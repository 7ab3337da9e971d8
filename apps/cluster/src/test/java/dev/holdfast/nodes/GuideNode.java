package dev.holdfast.nodes;

import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectRegistrar;
import dev.holdfast.RuntimeOptions;
import dev.holdfast.cluster.ClusterHoldfast;
import dev.holdfast.cluster.ClusterRuntime;
import dev.holdfast.launcher.process.ParentPipe;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;

/**
 * A node of the guide, in a process of its own: it says when it is ready, and runs until killed.
 */
final class GuideNode {

  /** Keeps a text. */
  public interface Note {

    /** Returns the text. */
    String text();

    /** Keeps another text. */
    void write(String text);
  }

  /** How many notes each node writes before it is ready. */
  static final int NOTES = 5;

  private static final Duration READY = Duration.ofMinutes(3);

  private GuideNode() {}

  private record NoteObject(ObjectContext context) implements Note {

    @Override
    public String text() {
      return context.storage().get("text", String.class).orElse("");
    }

    @Override
    public void write(String text) {
      context.storage().put("text", text);
    }
  }

  static void register(ObjectRegistrar objects) {
    objects.options(RuntimeOptions.DEFAULT.withOperatorSocket());
    objects.namespace("notes", Note.class, NoteObject::new);
  }

  public static void main(String[] arguments) throws InterruptedException {
    ParentPipe parent = new ParentPipe();
    NodePlace place = NodePlace.ofArguments(arguments);
    try (ClusterRuntime runtime =
        ClusterHoldfast.open(place.directory(), place.options(), GuideNode::register)) {
      parent.listen(_ -> {}); // ends this process with its parent
      boolean isReady = runtime.awaitReady(READY);
      for (int i = 0; isReady && i < NOTES; i++) {
        runtime.namespace("notes", Note.class).getByName(place.name() + i).write(place.name());
      }
      parent.say(isReady ? "ready" : "late");
      new CountDownLatch(1).await();
    }
  }
}
