package dev.holdfast.cluster.value;

import dev.holdfast.ObjectException;
import dev.holdfast.ObjectId;
import dev.holdfast.cluster.errors.RemoteObjectException;
import dev.holdfast.cluster.frame.Frame;
import dev.holdfast.cluster.frame.Frame.Thrown;
import dev.holdfast.spi.log.NodeId;
import java.lang.reflect.Method;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Exceptions as they travel, and as they are made again. A class that another node has named is
 * used only if it is one of exceptions: of no other class does any code run. Stateless.
 */
public final class Failures {

  /** How much of a stack travels: what is further out is the engine, and the same for all calls. */
  private static final int STACK_LINES_MAX = 64;

  private Failures() {}

  /**
   * Describes an exception for another node.
   *
   * @param failure the exception
   * @return what travels, with at most {@link Frame#CAUSES_MAX} causes
   */
  public static Thrown describe(Throwable failure) {
    Set<Throwable> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    Deque<Throwable> innermostFirst = new ArrayDeque<>();
    for (Throwable each = failure;
        each != null && seen.size() < Frame.CAUSES_MAX && seen.add(each);
        each = causeOf(each)) {
      innermostFirst.push(each);
    }
    Thrown thrown = null;
    for (Throwable each : innermostFirst) {
      thrown =
          new Thrown(
              each.getClass().getName(),
              messageOf(each),
              stackOf(each),
              FailureClasses.detailsOf(each),
              thrown);
    }
    return Objects.requireNonNull(thrown);
  }

  // A class of the application may have any code here; its failure must not hide the first one.

  private static @Nullable Throwable causeOf(Throwable failure) {
    try {
      return failure.getCause();
    } catch (RuntimeException | Error e) {
      return new IllegalStateException(failed("getCause()", e));
    }
  }

  /** The message as a constructor takes it: what {@link ObjectException} appends is left out. */
  private static @Nullable String messageOf(Throwable failure) {
    String message;
    try {
      message = failure.getMessage();
    } catch (RuntimeException | Error e) {
      return failed("getMessage()", e);
    }
    return failure instanceof ObjectException object ? object.withoutObject() : message;
  }

  private static String stackOf(Throwable failure) {
    StringBuilder text = new StringBuilder();
    StackTraceElement[] stack;
    try {
      stack = failure.getStackTrace();
    } catch (RuntimeException | Error e) {
      return failed("getStackTrace()", e);
    }
    int lines = stack == null ? 0 : Math.min(stack.length, STACK_LINES_MAX);
    for (int i = 0; i < lines; i++) {
      text.append("\tat ").append(stack[i]).append('\n');
    }
    return text.toString();
  }

  private static String failed(String method, Throwable why) {
    return method + " has failed: " + why.getClass().getName();
  }

  /**
   * Makes an exception again.
   *
   * @param thrown what came from another node
   * @param node the node
   * @param namespace the namespace of the object that was called
   * @param id the object
   * @param method the method that was called: the loader of its class has those of exceptions
   * @return the exception, or a {@link RemoteObjectException}
   */
  public static Throwable remake(
      Thrown thrown, NodeId node, String namespace, ObjectId id, Method method) {
    return made(thrown, node, namespace, id, method);
  }

  /**
   * @param node whose stacks are added; null if they are of this one
   */
  private static Throwable made(
      Thrown thrown, @Nullable NodeId node, String namespace, ObjectId id, Method method) {
    Deque<Thrown> innermostFirst = new ArrayDeque<>();
    for (Thrown each = thrown; each != null; each = each.cause()) {
      innermostFirst.push(each);
    }
    Throwable made = null;
    for (Thrown each : innermostFirst) {
      Throwable outer =
          FailureClasses.make(
              each.className(),
              each.message(),
              each.details(),
              made,
              method.getDeclaringClass().getClassLoader());
      if (outer == null) {
        outer = new RemoteObjectException(namespace, id, each.className(), each.message(), made);
      }
      if (node != null) {
        outer.addSuppressed(new RemoteStack(node, each.className(), each.stack()));
      }
      made = outer;
    }
    return Objects.requireNonNull(made);
  }

  /**
   * Returns what a caller on another node gets for an exception.
   *
   * @param failure what an object of this node has thrown
   * @param namespace the namespace of the object
   * @param id the object
   * @param method the method that was called
   * @return the exception itself if it and its causes would have the same classes there; else what
   *     would be made there, with the exception as a suppressed one
   */
  public static Throwable asElsewhere(
      Throwable failure, String namespace, ObjectId id, Method method) {
    if (failure instanceof ObjectException) {
      return failure; // of Holdfast
    }
    Throwable remade = made(describe(failure), null, namespace, id, method);
    Throwable theirs = remade;
    Throwable ours = failure;
    while (theirs != null && ours != null && theirs.getClass() == ours.getClass()) {
      theirs = theirs.getCause();
      ours = causeOf(ours);
    }
    if (theirs == null) {
      return failure;
    }
    remade.addSuppressed(failure);
    return remade;
  }
}
