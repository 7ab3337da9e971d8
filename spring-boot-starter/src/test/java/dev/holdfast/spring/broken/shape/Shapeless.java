package dev.holdfast.spring.broken.shape;

import dev.holdfast.spring.DurableObject;

/** Implements nothing that callers could use. */
@DurableObject("shapeless")
public class Shapeless implements Runnable {
  @Override
  public void run() {}
}
