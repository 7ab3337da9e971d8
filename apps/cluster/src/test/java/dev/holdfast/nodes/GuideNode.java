package dev.holdfast.nodes;

import dev.holdfast.ObjectContext;
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
  }

  private static final Duration READY = Duration.ofMinutes(3);

  private GuideNode() {}

  private record NoteObject(ObjectContext context) implements Note {

    @Override
    public String text() {
      return context.storage().get("text", String.class).orElse("");
    }
  }

  public static void main(String[] arguments) throws InterruptedException {
    ParentPipe parent = new ParentPipe();
    NodePlace place = NodePlace.ofArguments(arguments);
    try (ClusterRuntime runtime =
        ClusterHoldfast.open(
            place.directory(),
            place.options(),
            objects -> {
              objects.options(RuntimeOptions.DEFAULT.withOperatorSocket());
              objects.namespace("notes", Note.class, NoteObject::new);
            })) {
      parent.listen(_ -> {}); // ends this process with its parent
      parent.say(runtime.awaitReady(READY) ? "ready" : "late");
      new CountDownLatch(1).await();
    }
  }
}
