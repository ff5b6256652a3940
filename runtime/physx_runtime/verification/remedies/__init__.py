"""What to author so that PhysX has the intended effect: values tried on the experiment that measured them."""
