package dev.holdfast.system.architecture.violations.east;

import dev.holdfast.system.architecture.violations.west.West;
import java.util.List;

/** The other half of a cycle. */
public record East(List<West> wests) {}
