package dev.holdfast.spring.broken.twice;

/** What both offer. */
public interface Calls {}
