"""Short walks on a graph: how likely they get to a sample before they end."""

import numpy as np

from fuzzypairs.kernels.jit import kernel


@kernel
def approach(indptr, neighbor, targets, strength, n_steps, rows, chances, counts):
    """Set the samples from which each target is reached most likely.

    A walk goes on with probability `strength`, to a neighbour drawn evenly, and ends
    after `n_steps` steps at the latest. The chance h_i to get to the target within t
    steps is 1 at the target, and elsewhere `strength` times the mean over the
    neighbours of i of their chances within t - 1 steps. Between steps only the largest
    chances are kept, so that a step costs these and their neighbours.

    Parameters
    ----------
    indptr, neighbor : ndarray
        Neighbours of each sample, as in a CSR matrix with a symmetric pattern.
    targets : ndarray of shape (n_targets,)
    strength : float in [0, 1)
    n_steps : int
    rows, chances : ndarray of shape (n_targets, reach)
        OUT: samples and their chances; the target comes first.
    counts : ndarray of shape (n_targets,)
        OUT: how many they are.
    """
    n_samples = indptr.size - 1
    pulled = np.zeros(n_samples)
    touched = np.empty(n_samples, dtype=np.int64)
    for t in range(targets.size):
        row, chance = rows[t], chances[t]
        row[0], chance[0] = targets[t], 1.0
        n_kept = 1
        for _ in range(n_steps):
            n_touched = _gather(indptr, neighbor, row, chance, n_kept, pulled, touched)
            for e in range(n_touched):
                i = touched[e]
                pulled[i] *= strength / (indptr[i + 1] - indptr[i])
            pulled[row[0]] = 0.0  # it is there already
            n_kept = 1 + _keep_largest(pulled, touched[:n_touched], row[1:], chance[1:])
            for e in range(n_touched):
                pulled[touched[e]] = 0.0
        counts[t] = n_kept


@kernel
def _gather(indptr, neighbor, row, chance, n_kept, pulled, touched):
    """Add the chances of kept samples to their neighbours; list and count these."""
    n_touched = 0
    for e in range(n_kept):
        for f in range(indptr[row[e]], indptr[row[e] + 1]):
            i = neighbor[f]
            if pulled[i] == 0.0:
                touched[n_touched] = i
                n_touched += 1
            pulled[i] += chance[e]
    return n_touched


@kernel
def _keep_largest(pulled, touched, row, chance):
    """Copy as many of the largest positive chances as there is room for."""
    room, n_found = row.size, touched.size
    bar = 0.0
    if n_found > room:
        # Of those at the bar itself, the first found fill what room is left.
        bar = np.partition(pulled[touched], n_found - room - 1)[n_found - room - 1]
    n_kept = 0
    for i in touched:
        if pulled[i] > bar:
            row[n_kept], chance[n_kept] = i, pulled[i]
            n_kept += 1
    for i in touched:
        if 0.0 < pulled[i] == bar and n_kept < room:
            row[n_kept], chance[n_kept] = i, pulled[i]
            n_kept += 1
    return n_kept
